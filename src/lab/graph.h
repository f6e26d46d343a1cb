// The graph at one moment of a run, and its text forms. Made from a trace and from nothing else.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/lab/event.h"
#include "src/lab/usage_error.h"

namespace gradlab {

// What became of a saved tensor since it was saved.
enum class SavedState : std::uint8_t {
  kUnchanged,
  kStale,        // the version moved; a guarded one will be refused, an attribute of ctx will be taken as it is
  kOverwritten,  // the content is another one and the version is not
  kFreed,        // the node let it go
};

struct GraphSaved {
  std::string tensor;
  trace::SavedBy by = trace::SavedBy::kOp;
  std::string attribute;      // of ctx
  std::uint32_t version = 0;  // when it was saved
  std::uint32_t version_now = 0;
  SavedState state = SavedState::kUnchanged;
  int written_in = 0;  // the step of the first write after it was saved
  trace::Content content = {};  // as it was saved
};

struct GraphEdge {
  int to = 0;  // a node; 0 for an edge to nowhere
  int input_nr = 0;
  std::optional<std::vector<std::int64_t>> shape;  // of the gradient that takes it, if the trace tells
};

struct GraphNode {
  int number = 0;
  std::string name;
  bool is_custom_function = false;
  std::string variable;  // of an AccumulateGrad: its leaf
  std::vector<GraphEdge> edges;
  std::vector<GraphSaved> saved;
};

struct GraphTensor {
  std::string name;
  std::vector<std::int64_t> shape;
  std::uint32_t version = 0;
  bool requires_grad = false;
  bool is_named = true;  // by the program; the others are shown where a node has nothing else above it
  int grad_fn = 0;
  int output_nr = 0;
  std::optional<trace::Content> grad;
};

// Why no gradient gets from a tensor to a leaf.
struct TrailEnd {
  std::string tensor;  // the program's
  std::string at;      // where the trail stops: `tensor`, or one that it was computed from
  std::string source;  // what `at` was made from, as far as the trail would have led; "" for nothing
  std::string why;     // "raw kernel gelu_forward: autograd saw nothing"
  int step = 0;        // in which that happened
  std::string code;
};

// What is drawn. Nodes stand in an order in which each comes before those that its edges lead to.
struct Graph {
  std::string program;
  trace::Step step;                         // the picture is of the end of this step
  std::optional<trace::ErrorRaised> error;  // how the step ended
  std::vector<GraphTensor> tensors;
  std::vector<GraphNode> nodes;
  std::vector<TrailEnd> trail_ends;
};

// The last step before the first backward, or the last one of all: then everything that backward will use is in place.
// 0 when the run has no steps.
int default_graph_step(const trace::Run& run);

// That the program as written has no step `given`, with those that it has.
UsageError no_such_step(const trace::Trace& trace, std::string_view given);

// The graph of the program as written at the end of a step. Throws UsageError when the run has no such step.
Graph graph_of(const trace::Trace& trace, int step);

// "save-unsafe, after the write (step 3)"
std::string graph_title(const Graph& graph);

// What the drawings say about a saved tensor: "saved x2, version 0", and what became of it, or "".
std::string saved_text(const GraphSaved& saved);
std::string saved_state_text(const GraphSaved& saved);
// Its content is no longer what was saved, whether its version tells or not.
bool is_stale(const GraphSaved& saved);

// "None", "60.0", "[6.0, 8.0]"
std::string grad_text(const GraphTensor& tensor);

// The gradient's shape on an edge; "" where it is not known.
std::string gradient_shape_text(const GraphEdge& edge);
// ", input 1" of the node that an edge leads to; "" for its first.
std::string input_text(const GraphEdge& edge);

// What a node is called inside a drawing.
std::string node_id(int number);

// "[3]", "[]"
std::string shape_text(const std::vector<std::int64_t>& shape);

std::string graph_text(const Graph& graph);     // plain, for 80 columns
std::string graph_dot(const Graph& graph);      // Graphviz
std::string graph_mermaid(const Graph& graph);  // Mermaid's flowchart

}  // namespace gradlab
