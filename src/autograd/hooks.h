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

// Of a leaf, or of a tensor that is not yet at a node.
struct TensorHooks {
  std::vector<NamedTensorHook> pre;
  std::vector<std::function<void(const Tensor&)>> post_accumulate;
};

// Fills `.grad` of a non-leaf that asked to retain it.
struct RetainGrad {
  std::uint32_t output_nr;
  WeakRef<TensorImpl> tensor;
};

struct NodeHooks {
  std::vector<NamedTensorHook> tensor_pre;
  std::vector<RetainGrad> retain_grad;
  // May return replacements for the gradients that arrive, and for those that leave.
  std::vector<std::function<std::optional<TensorList>(const TensorList& grad_outputs)>> pre;
  std::vector<std::function<std::optional<TensorList>(const TensorList& grad_inputs, const TensorList& grad_outputs)>> post;
};

// Runs hooks on `grad`, each seeing what the one before made of it. Throws when one changes its size or type.
void run_tensor_hooks(const std::vector<NamedTensorHook>& hooks, TensorList& grads);

// Runs a node's tensor hooks and retained gradients on the gradients that arrived.
void run_tensor_pre_hooks(Node& node, TensorList& grads);

// Moves a tensor's retained gradient from the node that made it to the one that rewrote it.
void move_retain_grad(const Tensor& tensor, Node* from, Node& to);

}  // namespace gradlab
