#include <unistd.h>

#include <csignal>
#include <iostream>
#include <string>
#include <vector>

#include "src/cli/cli.h"

int main(int argc, char** argv) {
  // A closed pipe is then an error of the write, which is reported, and not the end of the process.
  std::signal(SIGPIPE, SIG_IGN);
  return gradlab::run_command_line(std::vector<std::string>(argv + std::min(argc, 1), argv + argc),
                                   gradlab::Input{std::cin, isatty(STDIN_FILENO) == 1}, std::cout, std::cerr);
}
