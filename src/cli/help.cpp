#include "src/cli/help.h"

#include <fmt/format.h>

#include "src/cli/command.h"

namespace gradlab {

std::string help_text() {
  std::string text =
      "gradlab shows what autograd sees: small experiments on torch.autograd.Function, run by a\n"
      "real engine, printed as PyTorch prints them.\n"
      "\n"
      "Usage: gradlab NAME... [OPTIONS]      an experiment or a script, as `gradlab list` names them\n"
      "       gradlab COMMAND [OPTIONS]\n"
      "\n"
      "Commands:\n";
  for (const Command& command : all_commands()) text += fmt::format("  {:<8} {}\n", command.name, command.summary);
  return text +
         "\n"
         "Options of a run:\n"
         "  --set NAME=VALUE     change a parameter; all numbers in the output follow\n"
         "  --device cpu|cuda    where tensors live and kernels run (default: cpu)\n"
         "  --addresses          real addresses in place of `...`\n"
         "  --json               one JSON document instead of text\n"
         "\n"
         "  --help, --version    of gradlab; `gradlab COMMAND --help` tells more about a command\n"
         "\n"
         "Examples:\n"
         "  gradlab all                                   the whole chapter\n"
         "  gradlab save-unsafe                           a wrong gradient and no error\n"
         "  gradlab save-unsafe --set x=5 --set factor=2  the same with other numbers\n"
         "  gradlab explain save-unsafe                   who saved x, who wrote it, who read it\n"
         "  gradlab show save-safe                        what it runs, and what it prints\n"
         "  gradlab verify                                is everything as expected here?\n"
         "\n"
         "Exit status: 0 reproduced, 1 not reproduced or a golden differs, 2 usage, 3 the environment\n"
         "(no such device, out of memory, output that cannot be written).\n";
}

std::string usage_hint() { return "Try `gradlab all`, `gradlab list` or `gradlab --help`."; }

}  // namespace gradlab
