// The command line as a function.
#pragma once

#include <iosfwd>
#include <span>
#include <string>

namespace gradlab {

enum ExitStatus : int {
  kExitReproduced = 0,     // what was claimed was shown; an expected error counts
  kExitNotReproduced = 1,  // it was not, or a golden differs
  kExitUsage = 2,          // a wrong name, option or value
  kExitEnvironment = 3,    // no such device, out of memory, output that cannot be written
};

// Runs gradlab with the arguments after the program's name. Results go to `out`, errors to `err`; both are flushed.
// Returns the exit status, kExitEnvironment when `out` did not take everything. Throws nothing.
int run_command_line(std::span<const std::string> arguments, std::ostream& out, std::ostream& err);

}  // namespace gradlab
