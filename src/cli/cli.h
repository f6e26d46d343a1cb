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

// Where a subcommand that asks something reads the answers.
struct Input {
  std::istream& stream;
  bool is_terminal = false;  // somebody sits there and can be asked again
};

// Runs gradlab with the arguments after the program's name. Results go to `out`, errors to `err`; both are flushed.
// Returns the exit status, kExitEnvironment when `out` did not take everything. Throws nothing.
int run_command_line(std::span<const std::string> arguments, Input in, std::ostream& out, std::ostream& err);
// The same with an input that has ended.
int run_command_line(std::span<const std::string> arguments, std::ostream& out, std::ostream& err);

}  // namespace gradlab
