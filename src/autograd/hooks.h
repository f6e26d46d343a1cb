// Functions that the user hangs on tensors and nodes, run by the engine. Order: section 4.7 of PyTorch's semantics.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "src/autograd/node.h"

namespace gradlab {

struct NamedTensorHook {
  std::uint32_t output_nr;
  std::string name;
  TensorHook run;
};

// Of a leaf. Its accumulator, which comes and goes with the graphs, shares them.
struct TensorHooks {
  std::vector<NamedTensorHook> pre;
  std::vector<std::function<void(const Tensor&)>> post_accumulate;
};

// Fills `.grad` of a non-leaf that asked to retain it.
struct RetainGrad {
  std::uint32_t output_nr;
  WeakRef<TensorImpl> tensor;
};

// Runs before a node on the gradients that arrived, and after it; may return replacements for those that arrive, and for
// those that leave.
using NodePreHook = std::function<std::optional<TensorList>(const TensorList& grad_outputs)>;
using NodePostHook = std::function<std::optional<TensorList>(const TensorList& grad_inputs, const TensorList& grad_outputs)>;

struct NodeHooks {
  std::shared_ptr<TensorHooks> leaf;  // of an accumulator
  std::vector<NamedTensorHook> tensor_pre;
  std::vector<RetainGrad> retain_grad;
  std::vector<NodePreHook> pre;
  std::vector<NodePostHook> post;
};

// grad_fn.register_prehook and grad_fn.register_hook. What they return is checked: number, size and type of each.
void register_prehook(Node& node, NodePreHook hook);
void register_hook(Node& node, NodePostHook hook);

// A leaf's hooks, made on first use.
TensorHooks& tensor_hooks(const Tensor& leaf);

// Runs a node's tensor hooks on the gradients that arrived, each seeing what the one before made of them, then keeps the
// retained gradients. Throws when a hook changes a size or type.
void run_tensor_pre_hooks(Node& node, TensorList& grads);

// Moves a tensor's retained gradient from the node that made it to the one that rewrote it.
void move_retain_grad(const Tensor& tensor, Node* from, Node& to);

}  // namespace gradlab
