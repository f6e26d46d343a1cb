#include <fmt/format.h>

#include <algorithm>

#include "src/lab/graph.h"
#include "src/lab/trace_text.h"

namespace gradlab {
namespace {

constexpr std::string_view kRed = "#b00020";
constexpr std::string_view kGrey = "#5f6368";

std::string html(std::string_view text) {
  std::string escaped;
  for (const char c : printable(text)) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

// Any text as a quoted identifier.
std::string id(std::string_view kind, std::string_view name) {
  std::string quoted = fmt::format("\"{} ", kind);
  for (const char c : name) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "\"";
}

std::string row(std::string_view text, std::string_view attributes = "") {
  return fmt::format("<TR><TD ALIGN=\"LEFT\"><FONT {}>{}</FONT></TD></TR>", attributes, html(text));
}

std::string dot_of(const GraphNode& node) {
  std::string rows = fmt::format("<TR><TD><B>{}</B></TD></TR>", html(node.name));
  for (const GraphSaved& saved : node.saved) {
    rows += row(saved_text(saved), "POINT-SIZE=\"11\"");
    const std::string state = saved_state_text(saved);
    if (!state.empty()) {
      rows += row(state, fmt::format("POINT-SIZE=\"11\" COLOR=\"{}\"", is_stale(saved) ? kRed : kGrey));
    }
  }
  const bool is_marked = std::any_of(node.saved.begin(), node.saved.end(), is_stale);
  const std::string_view border = is_marked ? kRed : std::string_view("#1a56b0");
  return fmt::format(
      "  {} [shape=box, style=\"filled{}\", fillcolor=\"{}\", color=\"{}\", penwidth={}, label=<<TABLE BORDER=\"0\" "
      "CELLBORDER=\"0\" CELLSPACING=\"0\" CELLPADDING=\"2\">{}</TABLE>>];\n",
      node_id(node.number), node.is_custom_function ? "" : ",rounded", is_marked ? "#fdecee" : "#e8f0fe", border,
      is_marked ? "2" : "1", rows);
}

std::string dot_of(const GraphTensor& tensor) {
  std::string details = fmt::format("shape {}, version {}", shape_text(tensor.shape), tensor.version);
  std::string kind;
  if (tensor.grad_fn == 0 && tensor.requires_grad) kind = fmt::format("leaf, grad {}", grad_text(tensor));
  if (!tensor.requires_grad) kind = "no path to a leaf";
  return fmt::format(
      "  {} [shape=ellipse, style=\"filled{}\", fillcolor=\"{}\", color=\"{}\", "
      "label=<<B>{}</B><BR/><FONT POINT-SIZE=\"11\">{}{}{}</FONT>>];\n",
      id("tensor", tensor.name), tensor.requires_grad ? "" : ",dashed", tensor.requires_grad ? "#ffffff" : "#f1f3f4",
      kGrey, html(tensor.name), details, kind.empty() ? "" : "<BR/>", html(kind));
}

bool is_drawn(const Graph& graph, std::string_view tensor) {
  return std::any_of(graph.tensors.begin(), graph.tensors.end(),
                     [&](const GraphTensor& drawn) { return drawn.name == tensor; });
}

std::string dot_edges(const Graph& graph, const GraphNode& node) {
  std::string edges;
  for (const GraphEdge& edge : node.edges) {
    if (edge.to == 0) continue;
    edges += fmt::format("  {} -> {} [label=\" {}{}\"];\n", node_id(node.number), node_id(edge.to),
                         gradient_shape_text(edge), input_text(edge));
  }
  if (is_drawn(graph, node.variable)) {
    edges += fmt::format("  {} -> {};\n", node_id(node.number), id("tensor", node.variable));
  }
  return edges;
}

// The place where the trail stops, and beyond it a dotted line to where it would have led.
std::string dot_of(const Graph& graph, const TrailEnd& end) {
  const std::string at = end.at == end.tensor ? "" : fmt::format("at {}: ", html(end.at));
  const std::string step = end.step == 0 ? "" : fmt::format("<BR/>step {}: {}", end.step, html(end.code));
  std::string text = fmt::format(
      "  {} [shape=box, style=dashed, color=\"{}\", label=<<FONT COLOR=\"{}\"><B>the trail stops</B></FONT><BR/><FONT "
      "POINT-SIZE=\"11\">{}{}{}</FONT>>];\n",
      id("stop", end.tensor), kRed, kRed, at, html(end.why), step);
  text += fmt::format("  {} -> {} [style=dashed, weight=3];\n", id("tensor", end.tensor), id("stop", end.tensor));
  if (is_drawn(graph, end.source)) {
    text +=
        fmt::format("  {} -> {} [style=dotted, arrowhead=none];\n", id("stop", end.tensor), id("tensor", end.source));
  }
  return text;
}

// Where backward could start stands on top. (The leaves reach the bottom by themselves: rank=max would put nodes
// between the ranks, where dot leaves no space between them for the sake of edge labels.)
std::string ranks(const Graph& graph) {
  std::string top;
  for (const GraphTensor& tensor : graph.tensors) {
    const bool is_leaf = tensor.grad_fn == 0 && tensor.requires_grad;
    const bool is_led_to =
        tensor.grad_fn != 0 && std::ranges::any_of(graph.nodes, [&](const GraphNode& node) {
          return std::ranges::any_of(node.edges, [&](const GraphEdge& edge) { return edge.to == tensor.grad_fn; });
        });
    if (!is_leaf && !is_led_to) top += id("tensor", tensor.name) + "; ";
  }
  return fmt::format("  {{rank=min; {}}}\n", top);
}

}  // namespace

std::string graph_dot(const Graph& graph) {
  std::string dot = fmt::format(
      "digraph gradlab {{\n"
      "  graph [labelloc=t, fontsize=16, rankdir=TB, nodesep=0.5, ranksep=0.45, pad=0.2, bgcolor=white,\n"
      "         label=<<TABLE BORDER=\"0\" CELLBORDER=\"0\" CELLSPACING=\"0\"><TR><TD><B>{}</B></TD></TR>"
      "<TR><TD><FONT POINT-SIZE=\"12\">{}</FONT></TD></TR><TR><TD HEIGHT=\"10\"></TD></TR></TABLE>>];\n"
      "  graph [fontname=\"Helvetica,Arial,sans-serif\"];\n"
      "  node [fontname=\"Helvetica,Arial,sans-serif\", fontsize=13, margin=\"0.15,0.08\"];\n"
      "  edge [fontname=\"Helvetica,Arial,sans-serif\", fontsize=11, color=\"{}\"];\n",
      html(graph_title(graph)), html(graph.step.code), kGrey);
  for (const GraphTensor& tensor : graph.tensors) dot += dot_of(tensor);
  for (const GraphNode& node : graph.nodes) dot += dot_of(node);
  for (const GraphTensor& tensor : graph.tensors) {
    if (tensor.grad_fn == 0) continue;
    const std::string output = tensor.output_nr == 0 ? "" : fmt::format(" output {}", tensor.output_nr);
    dot += fmt::format("  {} -> {} [label=\" {}{}\"];\n", id("tensor", tensor.name), node_id(tensor.grad_fn),
                       shape_text(tensor.shape), output);
  }
  for (const GraphNode& node : graph.nodes) dot += dot_edges(graph, node);
  for (const TrailEnd& end : graph.trail_ends) dot += dot_of(graph, end);
  return dot + ranks(graph) + "}\n";
}

}  // namespace gradlab
