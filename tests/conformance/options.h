// The command line of gradlab-conformance.
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace gradlab::conformance {

extern const char* const kUsage;

// What is wrong with the command line.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct Options {
  std::vector<std::string> files;
  std::size_t first = std::numeric_limits<std::size_t>::max();
  std::optional<std::string> show;
  std::optional<std::string> known;
  bool summary = false;
  bool keep_going = false;
  bool help = false;
};

// Throws UsageError.
Options parse_options(const std::vector<std::string>& arguments);

}  // namespace gradlab::conformance
