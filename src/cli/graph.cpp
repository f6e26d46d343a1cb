// gradlab graph NAME: the graph at a step, as text or as a picture.
#include "src/lab/graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>

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
  std::string at;  // as given
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
  parser
      .add_option("-o,--output", options.output, "Write to FILE; .txt, .dot, .mmd, .mermaid or .svg chooses the format")
      ->type_name("FILE");
  parser.read(arguments);
  return options;
}

// The format that the file's ending chooses; text for no file.
std::string_view format_of_output(const std::string& output) {
  struct Ending {
    std::string_view text;
    std::string_view format;
  };
  static constexpr Ending kEndings[] = {
      {".txt", "text"}, {".dot", "dot"}, {".mmd", "mermaid"}, {".mermaid", "mermaid"}, {".svg", "svg"}};
  if (output.empty()) return "text";
  std::string lower = output;
  for (char& c : lower) c = 'A' <= c && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  for (const Ending& ending : kEndings) {
    if (lower.ends_with(ending.text)) return ending.format;
  }
  const std::string seen = std::filesystem::path(output).extension().string();
  throw UsageError(
      fmt::format("-o {}: {} chooses no format, only .txt, .dot, .mmd, .mermaid and .svg do; name it with --format "
                  "text, dot, mermaid or svg",
                  output, seen.empty() ? "a name without an ending" : fmt::format("the ending {}", seen)));
}

std::string_view format_of(const GraphOptions& options) {
  static constexpr std::string_view kFormats[] = {"text", "dot", "mermaid", "svg"};
  if (options.format.empty()) return format_of_output(options.output);
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
  if (options.at.empty()) return trace.runs.empty() ? 0 : default_graph_step(trace.runs.front());
  int number = 0;
  const char* const text_end = options.at.data() + options.at.size();
  const auto [end, error] = std::from_chars(options.at.data(), text_end, number);
  if (error == std::errc() && end == text_end) return number;
  throw no_such_step(trace, fmt::format("'{}'", options.at));
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
