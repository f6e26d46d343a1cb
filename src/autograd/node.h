// The backward graph: nodes and the edges between them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "src/tensor/tensor.h"

namespace gradlab {

struct NodeHooks;        // src/autograd/hooks.h
struct AnomalyMetadata;  // src/autograd/anomaly.h

// One input of a node: where a gradient goes next. Invalid (null) where no gradient is needed.
struct Edge {
  Ref<Node> function;
  std::uint32_t input_nr = 0;

  bool is_valid() const { return static_cast<bool>(function); }
};

template <>
inline constexpr bool kIsRelocatable<Edge> = true;
using EdgeList = InlineVector<Edge, 2>;

// What a node knows of one tensor it made: what the gradient for it must look like.
struct InputMetadata {
  Shape shape;
  DType dtype = DType::kFloat32;
  Device device = Device::kCpu;
  bool is_undefined = false;  // a non-differentiable output: no gradient will come
  bool is_not_a_tensor = false;  // not even an output that zeros could be made for

  bool fits(const Tensor& gradient) const {
    return gradient.shape() == shape && gradient.dtype() == dtype && gradient.device() == device;
  }
};

// NOTE [No recursion]
// A graph can be ten million nodes deep, and the stack 8 MiB. The engine walks with a queue (graph_task.h), and dispose(Node*)
// puts a node whose last reference went into a list that the outermost call empties, so that one node's destruction never
// runs inside another's.

// A recorded operation. It receives the gradients of its outputs and returns those of its inputs, one for each edge.
class Node {
 public:
  // Takes the next sequence number, unless `sequence_nr` is given.
  Node();
  explicit Node(std::uint64_t sequence_nr);
  virtual ~Node();
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  // PyTorch's name(): "MulBackward0", "torch::autograd::CopySlices".
  virtual std::string name() const = 0;
  // Python's type(grad_fn).__name__: name() without its scope.
  std::string class_name() const;
  // Python's str(grad_fn), with "..." for the address, or with the address itself.
  std::string to_string(bool with_address = false) const;
  virtual bool is_custom_function() const { return false; }

  // `grad_outputs` has num_inputs() entries, undefined where no gradient arrived; the result has one entry for each edge.
  virtual TensorList apply(TensorList&& grad_outputs) = 0;
  // Drops the saved tensors; a later unpack throws PyTorch's "backward through the graph a second time" text.
  virtual void release_variables() {}

  std::uint64_t sequence_nr() const { return sequence_nr_; }
  // Python's next_functions.
  const EdgeList& next_edges() const { return next_edges_; }
  void set_next_edges(EdgeList edges) { next_edges_ = std::move(edges); }
  void add_next_edge(Edge edge) { next_edges_.push_back(std::move(edge)); }
  std::size_t num_outputs() const { return next_edges_.size(); }

  // A node's inputs are the gradients of what it made.
  std::uint32_t num_inputs() const { return static_cast<std::uint32_t>(input_metadata_.size()); }
  const InputMetadata& input_metadata(std::uint32_t input_nr) const { return input_metadata_[input_nr]; }
  std::uint32_t add_input_metadata(const Tensor& output);
  // An output without a gradient: `output` is undefined if it is no tensor at all.
  std::uint32_t add_undefined_input(const Tensor& output);

  // Whether the running backward needs the gradient of edge `i`.
  bool task_should_compute_output(std::size_t i) const;

  NodeHooks& hooks();
  NodeHooks* hooks_if_any() const { return extras_ ? extras_->hooks.get() : nullptr; }
  // Where the node was made, null unless anomaly mode was on then.
  AnomalyMetadata* anomaly() const { return extras_ ? extras_->anomaly.get() : nullptr; }

 private:
  friend class GraphTask;
  friend void dispose(Node* node) noexcept;

  // Written by the one backward that visits the node at present (NOTE [Scratch] in graph_task.h).
  struct Scratch {
    std::uint64_t task_id = 0;
    std::uint32_t dependencies : 29 = 0;
    bool should_execute : 1 = false;  // on a path to something asked for
    bool is_captured : 1 = false;     // a gradient arriving here was asked for
    bool is_selected : 1 = false;     // the search for needed nodes was here
    TensorList grads;
  };

  // What few nodes have.
  struct Extras {
    ~Extras();
    std::unique_ptr<NodeHooks> hooks;
    std::unique_ptr<AnomalyMetadata> anomaly;
  };
  Extras& extras();

  EdgeList next_edges_;
  InlineVector<InputMetadata, 1> input_metadata_;
  std::uint64_t sequence_nr_;
  Scratch scratch_;
  std::unique_ptr<Extras> extras_;
};

// The edge that a gradient of `tensor` takes: to its node, to its accumulator if it is a leaf that requires grad, or nowhere.
Edge gradient_edge(const Tensor& tensor);

// A leaf's accumulator, made on first use; null if it does not require grad itself.
Ref<Node> grad_accumulator(const Tensor& leaf);
Ref<Node> grad_accumulator_if_any(const Tensor& leaf);

// A pointer made up of one edge for each tensor.
EdgeList collect_next_edges(std::initializer_list<const Tensor*> tensors);

}  // namespace gradlab
