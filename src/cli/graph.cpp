// gradlab graph NAME: the graph at a step, as text or as a picture.
#include "src/lab/graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "src/cli/command.h"
#include "src/cli/files.h"
#include "src/cli/graphviz.h"
#include "src/cli/trace_source.h"
#include "src/lab/nearest.h"
#include "src/lab/usage_error.h"

namespace gradlab {
namespace {

struct GraphOptions {
  TraceOptions trace;
  std::string format;
  std::string output;
  std::optional<int> at;
};

GraphOptions read_graph_options(const Arguments& arguments) {
  GraphOptions options;
  CommandParser parser(
      "graph",
      "Draws the graph as it is at the end of a step: its nodes with what they saved, the edges that\n"
      "gradients take, the leaves, and where the trail of a tensor stops. Without --at, the moment just\n"
      "before the first backward.",
      "  gradlab graph save-unsafe\n"
      "  gradlab graph save-unsafe --at 2                    before the write\n"
      "  gradlab graph what-records -o graph.svg\n"
      "  gradlab graph function --format dot | dot -Tpng > graph.png\n"
      "  gradlab graph kernel-overwrite --format mermaid     for Markdown\n"
      "  gradlab trace function --json > t.jsonl; gradlab graph --from t.jsonl");
  add_trace_options(parser, options.trace);
  parser.add_option("--format", options.format, "text (default), dot, mermaid, or svg, which needs Graphviz")
      ->type_name("FORMAT");
  parser.add_option("--at", options.at, "The step after which to draw")->type_name("STEP");
  parser.add_option("-o,--output", options.output, "Write to FILE; .svg, .dot and .mmd choose the format")
      ->type_name("FILE");
  parser.read(arguments);
  return options;
}

std::string_view format_of(const GraphOptions& options) {
  static constexpr std::string_view kFormats[] = {"text", "dot", "mermaid", "svg"};
  if (options.format.empty()) {
    if (options.output.ends_with(".svg")) return "svg";
    if (options.output.ends_with(".dot")) return "dot";
    return options.output.ends_with(".mmd") ? "mermaid" : "text";
  }
  const auto format = std::ranges::find(kFormats, options.format);
  if (format == std::end(kFormats)) {
    throw UsageError(fmt::format("--format takes {}, not '{}'{}", joined(kFormats), options.format,
                                 did_you_mean(options.format, kFormats)));
  }
  return *format;
}

std::string drawn(const Graph& graph, std::string_view format) {
  if (format == "dot") return graph_dot(graph);
  if (format == "mermaid") return graph_mermaid(graph);
  if (format == "svg") return svg_from_dot(graph_dot(graph));
  return graph_text(graph);
}

int step_to_draw(const GraphOptions& options, const trace::Trace& trace) {
  if (options.at) return *options.at;
  return trace.runs.empty() ? 0 : default_graph_step(trace.runs.front());
}

}  // namespace

CommandResult graph_command(const Arguments& arguments) {
  const GraphOptions options = read_graph_options(arguments);
  const std::string_view format = format_of(options);
  const std::vector<trace::Trace> traces = traces_of(options.trace, "graph");
  if (format != "text" && traces.size() > 1) throw UsageError("a picture is of one experiment; name one, or use text");
  std::string text;
  for (const trace::Trace& trace : traces) {
    text += (text.empty() ? "" : "\n\n") + drawn(graph_of(trace, step_to_draw(options, trace)), format);
  }
  if (options.output.empty()) return {.out = text};
  write_file(options.output, text);
  return {};
}

}  // namespace gradlab
