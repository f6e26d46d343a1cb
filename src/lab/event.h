// What happened in a run, as plain data: what explain, graph, diff and trace are made from.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "src/lab/step_role.h"

// NOTE [Events]
// Nothing here knows the engine: tensors are names, nodes are numbers counted from 1 in each run, memory is a
// fingerprint. docs/trace-schema.md says how the same data looks as JSON lines, field by field, so that other programs
// can write it. A recorder (recorder.h) makes these, or a reader (trace_json.h); whoever explains or draws sees no
// difference.
namespace gradlab::trace {

// The elements of a tensor in row-major order.
struct Content {
  static constexpr std::size_t kMaxKept = 8;  // with more elements only the first and last kEdge are kept
  static constexpr std::size_t kEdge = 3;

  std::vector<std::int64_t> shape;
  std::string dtype;           // "torch.float32"
  bool is_initialized = true;  // false: torch.empty, written by nobody yet; then `values` and `fingerprint` are empty
  std::vector<double> values;  // all of them, or the first kEdge and the last kEdge
  std::int64_t count = 0;      // of all elements
  std::string fingerprint;     // equal in one trace exactly when the contents are, to the last bit

  bool is_complete() const { return static_cast<std::int64_t>(values.size()) == count; }
  // The fingerprint stands for the values: nan equals itself, and 0.0 differs from -0.0.
  friend bool operator==(const Content& a, const Content& b) {
    return a.fingerprint == b.fingerprint && a.shape == b.shape && a.dtype == b.dtype && a.count == b.count &&
           a.is_initialized == b.is_initialized;
  }
};

// One way back from a node. `node` 0: no gradient goes here.
struct Edge {
  int node = 0;
  int input_nr = 0;

  friend bool operator==(const Edge&, const Edge&) = default;
};

enum class Origin : std::uint8_t {
  kFactory,  // out of nothing: torch.tensor, torch.zeros
  kEmpty,    // torch.empty: memory with no content yet
  kOp,       // an operation or a custom Function
  kView,     // another look at `base`: shares memory and version counter
  kDetach,   // x.detach(): shares memory and version counter, outside the graph
  kData,     // x.data: shares memory, has a counter of its own
};

// A tensor came to be. Gradients and what backward computes on the way are left out (unless create_graph records them).
struct TensorMade {
  std::string tensor;
  Origin origin = Origin::kFactory;
  std::string op;  // class name of the node that it has or would have: "MulBackward0"; "" for a factory
  std::vector<std::string> inputs;  // the tensors that it was computed from
  std::string base;                 // kView, kDetach, kData: the tensor looked at, else ""
  std::string device;               // "cpu", "cuda:0"
  bool requires_grad = false;       // at its making; a GradFnSet that follows sets it too
  bool grad_mode = true;            // false: made under no_grad (or inside a Function's forward)
  std::uint32_t version = 0;
  Content content;

  friend bool operator==(const TensorMade&, const TensorMade&) = default;
};

// A node appeared in the graph.
struct NodeMade {
  int node = 0;
  std::string name;  // class name: "SafeSquareBackward", "AccumulateGrad"
  bool is_custom_function = false;
  std::string variable;              // of an AccumulateGrad: the leaf, else ""
  std::vector<Edge> next_functions;  // one for each input of the operation
  // Shape of the gradient that each edge carries, in the same order; empty for an edge to nowhere.
  std::vector<std::vector<std::int64_t>> next_shapes;

  friend bool operator==(const NodeMade&, const NodeMade&) = default;
};

// From here on `tensor.grad_fn` is `node`: the tensor was just made, or was written in place under the graph's eyes.
struct GradFnSet {
  std::string tensor;
  int node = 0;
  int output_nr = 0;

  friend bool operator==(const GradFnSet&, const GradFnSet&) = default;
};

// A raw kernel ran on the memory of these tensors. Autograd did not see it.
struct KernelLaunched {
  std::string kernel;
  std::string device;
  std::int64_t elements = 0;
  std::vector<std::string> tensors;  // in the order of its pointers

  friend bool operator==(const KernelLaunched&, const KernelLaunched&) = default;
};

enum class SavedBy : std::uint8_t {
  kSaveForBackward,  // ctx.save_for_backward: the version is checked when it is read
  kOp,               // a built-in operation, checked too
  kCtxAttribute,     // ctx.x = x: not checked
};

// A tensor is kept for backward. `node` 0: on a ctx that belongs to no node, because forward was called directly.
struct TensorSaved {
  int node = 0;
  SavedBy by = SavedBy::kOp;
  std::string attribute;  // kCtxAttribute: its name, else ""
  std::string tensor;
  std::uint32_t version = 0;
  Content content;

  friend bool operator==(const TensorSaved&, const TensorSaved&) = default;
};

// An in-place operation: autograd counted it.
struct TensorWritten {
  std::string tensor;
  std::uint32_t version_before = 0;
  std::uint32_t version_after = 0;
  Content before;
  Content after;
  std::vector<std::string> shared_with;  // other tensors whose version moved with it: views, their base, detach()

  friend bool operator==(const TensorWritten&, const TensorWritten&) = default;
};

// Seen at the end of a step: the content is another one and the version is not. Somebody wrote behind the counter.
struct GhostWrite {
  std::string tensor;
  std::uint32_t version = 0;
  Content before;
  Content after;
  std::vector<int> saved_by;  // the nodes that keep this tensor for backward

  friend bool operator==(const GhostWrite&, const GhostWrite&) = default;
};

enum class UnpackOutcome : std::uint8_t {
  kOk,
  kStale,  // the version moved since it was saved: an error
  kFreed,  // backward through the graph a second time: an error; `content` is empty
};

// Backward reads a tensor that was kept.
struct TensorUnpacked {
  int node = 0;  // 0: read outside backward
  SavedBy by = SavedBy::kOp;
  std::string attribute;
  std::string tensor;
  UnpackOutcome outcome = UnpackOutcome::kOk;
  std::uint32_t expected_version = 0;
  std::uint32_t version = 0;
  Content content;  // what it finds

  friend bool operator==(const TensorUnpacked&, const TensorUnpacked&) = default;
};

// Backward calls a node, and the node has returned. null: no gradient.
struct NodeBegan {
  int node = 0;
  std::vector<std::optional<Content>> grad_outputs;

  friend bool operator==(const NodeBegan&, const NodeBegan&) = default;
};
struct NodeEnded {
  int node = 0;
  std::vector<std::optional<Content>> grad_inputs;

  friend bool operator==(const NodeEnded&, const NodeEnded&) = default;
};

// A leaf's .grad is now this.
struct GradAccumulated {
  std::string tensor;
  Content grad;

  friend bool operator==(const GradAccumulated&, const GradAccumulated&) = default;
};

// A node let its saved tensors go.
struct SavedFreed {
  int node = 0;

  friend bool operator==(const SavedFreed&, const SavedFreed&) = default;
};

// The step ended in an error.
struct ErrorRaised {
  std::string type;  // "RuntimeError"
  std::string message;

  friend bool operator==(const ErrorRaised&, const ErrorRaised&) = default;
};

// A tensor with a name of the program's, at the end of a step that changed something about it.
struct TensorState {
  std::string tensor;
  bool requires_grad = false;
  bool is_leaf = true;
  int grad_fn = 0;  // the node, 0 for none
  std::uint32_t version = 0;
  Content content;
  std::optional<Content> grad;  // of a leaf

  friend bool operator==(const TensorState&, const TensorState&) = default;
};

using Body = std::variant<TensorMade, NodeMade, GradFnSet, KernelLaunched, TensorSaved, TensorWritten, GhostWrite,
                          TensorUnpacked, NodeBegan, NodeEnded, GradAccumulated, SavedFreed, ErrorRaised, TensorState>;

struct Event {
  int step = 0;  // the number of the step in which it happened
  Body body;

  friend bool operator==(const Event&, const Event&) = default;
};

// The event as one of the types above, or null.
template <class T>
const T* as(const Event& event) {
  return std::get_if<T>(&event.body);
}

// A statement of the program.
struct Step {
  int number = 0;  // from 1, as in the program as written; a run may order them differently
  StepRole role = StepRole::kSetup;
  std::string code;
  std::string file;
  int line = 0;

  friend bool operator==(const Step&, const Step&) = default;
};

enum class RunKind : std::uint8_t {
  kAsWritten,
  kFrozen,  // everything kept for backward is a private copy: its gradients are the right ones
  kRepair,  // with one change that `title` names
};

// One execution of the program: steps and events in the order in which they happened.
struct Run {
  RunKind kind = RunKind::kAsWritten;
  std::string title;  // of a repair, in code: "ctx.save_for_backward(x.clone())"
  std::vector<Step> steps;
  std::vector<Event> events;

  friend bool operator==(const Run&, const Run&) = default;
};

// The first run is the one as written.
struct Trace {
  std::string producer;  // "gradlab 0.1.0"
  std::string program;   // "save-unsafe"
  std::string device;    // "cpu", "cuda:0"
  std::vector<std::pair<std::string, std::string>> parameters;
  std::vector<Run> runs;

  friend bool operator==(const Trace&, const Trace&) = default;
};

}  // namespace gradlab::trace
