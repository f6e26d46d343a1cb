// Prints outcomes and counts them.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <map>
#include <string>
#include <vector>

#include "tests/conformance/replay.h"

namespace gradlab::conformance {

// Programs whose result PyTorch itself leaves undefined: id and reason. A line of the file is "ID REASON"; empty lines
// and lines that begin with # do not count.
using KnownPrograms = std::map<std::string, std::string>;

// Throws InputError when the file cannot be read or a line has no reason.
KnownPrograms read_known(const std::string& path);

class Report {
 public:
  Report(std::ostream& out, KnownPrograms known) : out_(out), known_(std::move(known)) {}

  // Prints each difference: "ID step N (STEP): TENSOR FIELD" with expected and got below.
  void add(const Outcome& outcome);

  // Groups the programs by their first difference, most frequent first, each with the program that shows it earliest.
  void print_summary() const;

  // The known ones and those that needed noise, if any, then "N of M identical".
  void print_totals() const;

  std::size_t total() const { return total_; }
  // No difference but known ones.
  bool passed() const { return identical_ + known_differing_.size() == total_; }

 private:
  struct Group {
    std::size_t count = 0;
    std::string earliest_id;
    std::size_t earliest_step = 0;
  };

  std::ostream& out_;
  KnownPrograms known_;
  KnownPrograms known_differing_;
  std::map<std::string, Group> groups_;
  std::size_t identical_ = 0;
  std::vector<std::string> needed_noise_;  // the ids, of those
  std::size_t total_ = 0;
};

}  // namespace gradlab::conformance
