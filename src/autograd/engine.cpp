#include "src/autograd/engine.h"

#include "src/autograd/graph_task.h"
#include "src/autograd/grad_mode.h"
#include "src/autograd/observer.h"
#include "src/tensor/messages.h"
#include "src/tensor/tensor_impl.h"
#include "src/tensor/warning.h"

namespace gradlab {

namespace {

// Stands for an input that no node leads to.
class Identity final : public Node {
 public:
  std::string name() const override { return "Identity"; }
  TensorList apply(TensorList&& grad_outputs) override { return std::move(grad_outputs); }
};

// Python's index(): the same tensor, or an equal one, whose comparison may raise.
std::size_t index_of(const Tensor& wanted, const TensorList& tensors) {
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    if (tensors[i].is_same(wanted)) return i;
    if (!tensors[i].defined()) continue;
    const Tensor equal = tensors[i].eq(wanted);
    if (equal.numel() != 1) throw messages::ambiguous_truth(equal.numel());
    if (equal.item() != 0) return i;
  }
  return tensors.size();
}

// The seeds: those given, checked, and ones for the implicit ones. Section 4.1 of PyTorch's semantics.
TensorList make_gradients(const TensorList& tensors, const TensorList& gradients) {
  if (!gradients.empty() && gradients.size() != tensors.size()) {
    throw messages::gradient_count(tensors.size(), gradients.size());
  }
  const ObserverGuard unobserved(nullptr);  // a seed is no tensor of the program's
  TensorList seeds;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const Tensor& tensor = tensors[i];
    const Tensor given = gradients.empty() ? Tensor() : gradients[i];
    if (given.defined()) {
      if (given.shape() != tensor.shape()) {
        const std::size_t gradient_index = index_of(given, gradients);
        throw messages::gradient_shape_mismatch(gradient_index, given.shape(), index_of(tensor, tensors), tensor.shape());
      }
      seeds.push_back(given);
    } else if (tensor.requires_grad()) {
      if (tensor.numel() != 1) throw messages::implicit_gradient();
      if (!is_floating_point(tensor.dtype())) throw messages::implicit_gradient_dtype(tensor.dtype());
      seeds.push_back(ones_like(tensor));
    } else {
      seeds.emplace_back();
    }
  }
  return seeds;
}

EdgeList root_edges(const TensorList& tensors) {
  EdgeList roots;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    Edge edge = gradient_edge(tensors[i]);
    if (!edge.is_valid()) throw messages::no_grad_fn(i);
    roots.push_back(std::move(edge));
  }
  return roots;
}

EdgeList input_edges(const TensorList& inputs, bool accumulate_grad) {
  EdgeList edges;
  for (const Tensor& input : inputs) {
    Ref<Node> node = input.grad_fn();
    if (!node) node = grad_accumulator_if_any(input);
    if (accumulate_grad) input.retain_grad();
    if (!input.requires_grad()) throw messages::input_does_not_require_grad();
    if (node) {
      edges.push_back({std::move(node), input.output_nr()});
    } else {
      edges.push_back({make_ref<Identity>(), 0});
    }
  }
  return edges;
}

}  // namespace

void backward(const TensorList& tensors, const TensorList& gradients, BackwardOptions options, const TensorList& inputs) {
  TensorList seeds = make_gradients(tensors, gradients);
  if (options.create_graph) {
    static constinit std::atomic<bool> has_warned = false;
    warn_once(has_warned, messages::kCreateGraphCycle);
  }
  const EdgeList roots = root_edges(tensors);
  const EdgeList outputs = input_edges(inputs, true);
  GraphTask task(options.retain_graph.value_or(options.create_graph), options.create_graph);
  task.run(roots, std::move(seeds), outputs, true);
}

TensorList grad(const TensorList& outputs, const TensorList& inputs, const TensorList& grad_outputs, GradOptions options) {
  if (inputs.empty()) throw messages::empty_inputs(true);
  TensorList seeds = make_gradients(outputs, grad_outputs);
  const EdgeList roots = root_edges(outputs);
  const EdgeList edges = input_edges(inputs, false);
  GraphTask task(options.retain_graph.value_or(options.create_graph), options.create_graph);
  TensorList grads = task.run(roots, std::move(seeds), edges, false);
  for (std::size_t i = 0; i < grads.size(); ++i) {
    if (!grads[i].defined() && !options.allow_unused) throw messages::unused_input(i);
  }
  return grads;
}

}  // namespace gradlab
