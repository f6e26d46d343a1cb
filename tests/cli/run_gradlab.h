// Runs the command line inside the test.
#pragma once

#include <sstream>
#include <string>
#include <vector>

#include "src/cli/cli.h"

namespace gradlab::test {

struct CliRun {
  int status;
  std::string out;
  std::string err;
};

inline CliRun run_gradlab(const std::vector<std::string>& arguments) {
  std::ostringstream out;
  std::ostringstream err;
  const int status = run_command_line(arguments, out, err);
  return {status, out.str(), err.str()};
}

// With `input` as what is typed or piped in.
inline CliRun run_gradlab_on(const std::string& input, const std::vector<std::string>& arguments,
                             bool is_terminal = false) {
  std::istringstream in(input);
  std::ostringstream out;
  std::ostringstream err;
  const int status = run_command_line(arguments, Input{in, is_terminal}, out, err);
  return {status, out.str(), err.str()};
}

}  // namespace gradlab::test
