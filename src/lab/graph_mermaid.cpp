#include <fmt/format.h>

#include <algorithm>

#include "src/lab/graph.h"
#include "src/lab/trace_text.h"

namespace gradlab {
namespace {

// Text for a quoted label: Mermaid reads some characters as its own.
std::string label(std::string_view text) {
  std::string escaped;
  for (const char c : printable(text)) {
    if (std::string_view("\"#&<>`[]{}|;").find(c) != std::string_view::npos) {
      escaped += fmt::format("#{};", static_cast<int>(c));
    } else {
      escaped += c;
    }
  }
  return escaped;
}

// For a YAML text in double quotes.
std::string quoted(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '"' || c == '\\') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

// Tensors by their place in the graph: Mermaid's identifiers are letters and digits.
std::string tensor_id(const Graph& graph, std::string_view name) {
  for (std::size_t i = 0; i < graph.tensors.size(); ++i) {
    if (graph.tensors[i].name == name) return fmt::format("tensor{}", i + 1);
  }
  return "";
}

std::string mermaid_of(const Graph& graph, const GraphTensor& tensor) {
  std::string text = fmt::format("<b>{}</b><br/>shape {}, version {}", label(tensor.name),
                                 label(shape_text(tensor.shape)), tensor.version);
  if (tensor.grad_fn == 0 && tensor.requires_grad) text += fmt::format("<br/>leaf, grad {}", label(grad_text(tensor)));
  if (!tensor.requires_grad) text += "<br/>no path to a leaf";
  return fmt::format("  {}([\"{}\"]){}\n", tensor_id(graph, tensor.name), text,
                     tensor.requires_grad ? ":::tensor" : ":::lost");
}

std::string mermaid_of(const GraphNode& node) {
  std::string text = fmt::format("<b>{}</b>", label(node.name));
  for (const GraphSaved& saved : node.saved) {
    text += fmt::format("<br/>{}", label(saved_text(saved)));
    const std::string state = saved_state_text(saved);
    if (!state.empty()) text += fmt::format("<br/>{}", label(state));
  }
  const bool is_marked = std::any_of(node.saved.begin(), node.saved.end(), is_stale);
  return fmt::format("  {}[\"{}\"]{}\n", node_id(node.number), text, is_marked ? ":::stale" : ":::node");
}

std::string mermaid_edges(const Graph& graph, const GraphNode& node) {
  std::string edges;
  for (const GraphEdge& edge : node.edges) {
    if (edge.to == 0) continue;
    edges += fmt::format("  {} -->|\"{}{}\"| {}\n", node_id(node.number), label(gradient_shape_text(edge)),
                         input_text(edge), node_id(edge.to));
  }
  const std::string leaf = tensor_id(graph, node.variable);
  if (!leaf.empty()) edges += fmt::format("  {} --> {}\n", node_id(node.number), leaf);
  return edges;
}

std::string mermaid_of(const Graph& graph, const TrailEnd& end, std::size_t number) {
  const std::string at = end.at == end.tensor ? "" : fmt::format("at {}: ", label(end.at));
  const std::string step = end.step == 0 ? "" : fmt::format("<br/>step {}: {}", end.step, label(end.code));
  const std::string tensor = tensor_id(graph, end.tensor);
  const std::string source = tensor_id(graph, end.source);
  std::string text =
      fmt::format("  stop{}[\"<b>the trail stops</b><br/>{}{}{}\"]:::stop\n", number, at, label(end.why), step);
  text += fmt::format("  {} -.-> stop{}\n", tensor, number);
  if (!source.empty()) text += fmt::format("  stop{} -.- {}\n", number, source);
  return text;
}

}  // namespace

std::string graph_mermaid(const Graph& graph) {
  std::string text = fmt::format("---\ntitle: \"{}\"\n---\nflowchart TD\n", quoted(graph_title(graph)));
  for (const GraphTensor& tensor : graph.tensors) text += mermaid_of(graph, tensor);
  for (const GraphNode& node : graph.nodes) text += mermaid_of(node);
  for (const GraphTensor& tensor : graph.tensors) {
    if (tensor.grad_fn == 0) continue;
    text += fmt::format("  {} -->|\"{}\"| {}\n", tensor_id(graph, tensor.name), label(shape_text(tensor.shape)),
                        node_id(tensor.grad_fn));
  }
  for (const GraphNode& node : graph.nodes) text += mermaid_edges(graph, node);
  for (std::size_t i = 0; i < graph.trail_ends.size(); ++i) text += mermaid_of(graph, graph.trail_ends[i], i + 1);
  return text +
         "  classDef tensor fill:#ffffff,stroke:#5f6368\n"
         "  classDef lost fill:#f1f3f4,stroke:#5f6368,stroke-dasharray:4\n"
         "  classDef node fill:#e8f0fe,stroke:#1a56b0\n"
         "  classDef stale fill:#fdecee,stroke:#b00020,stroke-width:2px\n"
         "  classDef stop fill:#ffffff,stroke:#b00020,stroke-dasharray:4\n";
}

}  // namespace gradlab
