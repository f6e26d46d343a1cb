// gradlab diff A B: where two traces part.
#include <fmt/format.h>

#include "src/cli/command.h"
#include "src/cli/trace_source.h"
#include "src/lab/trace_print.h"
#include "src/lab/usage_error.h"

namespace gradlab {

CommandResult diff_command(const Arguments& arguments) {
  std::vector<std::string> files;
  CommandParser parser("diff",
                       "Names the first event in which two traces differ. Exit status: 0 none does, 1 one does.",
                       "  gradlab trace save-unsafe --json > a.jsonl\n"
                       "  gradlab trace save-unsafe --set factor=1 --json > b.jsonl\n"
                       "  gradlab diff a.jsonl b.jsonl");
  parser.add_option("FILE", files, "Two files that `gradlab trace NAME --json`, or another program, wrote")
      ->type_name("");
  parser.read(arguments);
  if (files.size() != 2) throw UsageError(fmt::format("diff compares two files, not {}", files.size()));
  const trace::Trace a = read_trace(files[0]);
  const trace::Trace b = read_trace(files[1]);
  const std::optional<std::string> difference = first_difference(a, b);
  if (!difference) return {.out = "The traces are equal.\n"};
  return {.status = kExitNotReproduced, .out = fmt::format("A is {}, B is {}\n{}", files[0], files[1], *difference)};
}

}  // namespace gradlab
