// gradlab explain NAME...: why the gradient is what it is.
#include "src/lab/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "src/cli/command.h"
#include "src/cli/trace_source.h"
#include "src/lab/nearest.h"
#include "src/lab/usage_error.h"

namespace gradlab {
namespace {

std::string explained(const std::vector<trace::Trace>& traces, bool with_color) {
  std::string text;
  for (const trace::Trace& trace : traces) text += (text.empty() ? "" : "\n\n") + explain_text(trace, with_color);
  return text;
}

}  // namespace

CommandResult explain_command(const Arguments& arguments) {
  static constexpr std::string_view kColors[] = {"auto", "always", "never"};
  TraceOptions options;
  std::string color = "auto";
  CommandParser parser(
      "explain",
      "Says why: what autograd saw at each step, which step saved a tensor, which wrote it and which\n"
      "read it, the gradient obtained beside the one that the saved values give, and what each repair\n"
      "gives. All of it is run, none of it is looked up.",
      "  gradlab explain save-unsafe\n"
      "  gradlab explain save-safe kernel-overwrite --set factor=2\n"
      "  gradlab trace save-unsafe --json > t.jsonl; gradlab explain --from t.jsonl");
  add_trace_options(parser, options);
  parser.add_option("--color", color, "auto (default: on a terminal, unless NO_COLOR is set), always or never")
      ->type_name("WHEN");
  parser.read(arguments);
  if (std::ranges::find(kColors, color) == std::end(kColors)) {
    throw UsageError(fmt::format("--color takes {}, not '{}'{}", joined(kColors), color, did_you_mean(color, kColors)));
  }
  const std::vector<trace::Trace> traces = traces_of(options, "explain");
  CommandResult result = {.out = explained(traces, color == "always")};
  if (color == "auto") result.out_in_color = explained(traces, true);
  return result;
}

}  // namespace gradlab
