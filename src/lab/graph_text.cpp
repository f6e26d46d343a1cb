#include <fmt/format.h>

#include <algorithm>

#include "src/lab/graph.h"
#include "src/lab/trace_text.h"

namespace gradlab {
namespace {

std::size_t widest_name(const Graph& graph) {
  std::size_t width = 0;
  for (const GraphTensor& tensor : graph.tensors) width = std::max(width, tensor.name.size());
  return width;
}

std::string tensor_line(const GraphTensor& tensor, std::size_t width) {
  std::string line = fmt::format("shape {}, version {}", shape_text(tensor.shape), tensor.version);
  if (tensor.grad_fn != 0) {
    line += fmt::format(", grad_fn #{}", tensor.grad_fn);
    if (tensor.output_nr != 0) line += fmt::format(" output {}", tensor.output_nr);
  } else if (tensor.requires_grad) {
    line += fmt::format(", leaf, grad {}", grad_text(tensor));
  } else {
    line += ", no path to a leaf";
  }
  return filled(line, fmt::format("  {:<{}}  ", tensor.name, width), width + 4);
}

std::string node_lines(const GraphNode& node) {
  std::string lines = fmt::format("  #{} {}{}\n", node.number, node.name, node.is_custom_function ? " (Function)" : "");
  for (const GraphSaved& saved : node.saved) {
    lines += fmt::format("     {}\n", saved_text(saved));
    const std::string state = saved_state_text(saved);
    if (!state.empty()) lines += fmt::format("       {}\n", state);
  }
  for (const GraphEdge& edge : node.edges) {
    lines += edge.to == 0
                 ? "     -> nowhere: no gradient needed\n"
                 : fmt::format("     -> #{}{}{}\n", edge.to, input_text(edge),
                               edge.shape ? "  gradient " + gradient_shape_text(edge) : "");
  }
  if (!node.variable.empty()) lines += fmt::format("     -> {}.grad\n", node.variable);
  return lines;
}

std::string trail_lines(const TrailEnd& end, std::size_t width) {
  const std::size_t column = width + 4;
  const std::string indent(column, ' ');
  std::string lines = filled(end.why, fmt::format("  {:<{}}  ", end.tensor, width), column);
  if (end.step != 0) lines += filled(fmt::format("step {}: {}", end.step, end.code), indent, column + 2);
  if (!end.source.empty()) lines += fmt::format("{}the trail to {} stops at {}\n", indent, end.source, end.at);
  return lines;
}

}  // namespace

std::string graph_text(const Graph& graph) {
  std::string text = graph_title(graph) + "\n" + filled(graph.step.code, "  ", 4);
  const std::size_t width = widest_name(graph);
  text += "\nTensors\n";
  for (const GraphTensor& tensor : graph.tensors) text += tensor_line(tensor, width);
  if (graph.tensors.empty()) text += "  none\n";
  text += "\nNodes, newest first; -> is where a gradient goes\n";
  for (const GraphNode& node : graph.nodes) text += node_lines(node);
  if (graph.nodes.empty()) text += "  none\n";
  text += "\nNo path to a leaf\n";
  for (const TrailEnd& end : graph.trail_ends) text += trail_lines(end, width);
  if (graph.trail_ends.empty()) text += "  none\n";
  return text;
}

}  // namespace gradlab
