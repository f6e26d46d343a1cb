// gradlab trace NAME: everything that the engine reports.
#include "src/cli/command.h"
#include "src/cli/trace_source.h"
#include "src/lab/trace_json.h"
#include "src/lab/trace_print.h"
#include "src/lab/usage_error.h"

namespace gradlab {

CommandResult trace_command(const Arguments& arguments) {
  TraceOptions options;
  bool json = false;
  CommandParser parser("trace",
                       "Prints what happens in an experiment, event by event: as written, with private copies of all\n"
                       "that is kept, and with each repair.",
                       "  gradlab trace save-unsafe\n"
                       "  gradlab trace save-unsafe --json > a.jsonl         (docs/trace-schema.md)\n"
                       "  gradlab trace --from a.jsonl");
  add_trace_options(parser, options);
  parser.add_flag("--json", json, "JSON lines, for `explain --from`, `graph --from`, `diff` and other programs");
  parser.read(arguments);
  const std::vector<trace::Trace> traces = traces_of(options, "trace");
  if (json && traces.size() > 1) throw UsageError("trace --json takes one experiment: a file holds one trace");
  CommandResult result;
  for (const trace::Trace& trace : traces) {
    if (!result.out.empty()) result.out += "\n";
    result.out += json ? trace_to_json_lines(trace) : trace_text(trace);
  }
  return result;
}

}  // namespace gradlab
