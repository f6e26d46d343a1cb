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

}  // namespace gradlab::test
