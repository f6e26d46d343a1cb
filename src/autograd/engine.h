// Running the graph backward.
#pragma once

#include <optional>

#include "src/autograd/node.h"

namespace gradlab {

struct BackwardOptions {
  std::optional<bool> retain_graph = std::nullopt;  // default: create_graph
  bool create_graph = false;
};

// torch.autograd.backward: accumulates into the leaves. `gradients` is empty or has one entry per tensor, undefined for the
// implicit 1 of a one-element tensor. With `inputs`, only into those.
void backward(const TensorList& tensors, const TensorList& gradients = {}, BackwardOptions options = {},
              const TensorList& inputs = {});

struct GradOptions {
  std::optional<bool> retain_graph = std::nullopt;
  bool create_graph = false;
  bool allow_unused = false;
};

// torch.autograd.grad: the gradients of `outputs` with respect to `inputs`, one each, undefined for an unused one when
// allowed. Leaves' .grad stays as it is.
TensorList grad(const TensorList& outputs, const TensorList& inputs, const TensorList& grad_outputs = {},
                GradOptions options = {});

// torch.autograd.graph.increment_version: tells autograd of a write that it did not see.
void increment_version(const Tensor& tensor);

}  // namespace gradlab
