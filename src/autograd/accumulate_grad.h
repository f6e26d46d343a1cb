// The sink of the graph: adds into a leaf's .grad.
#pragma once

#include "src/autograd/node.h"

namespace gradlab {

// Held by the edges that lead to it; the leaf knows it only weakly. Rules: section 4.6 of PyTorch's semantics.
class AccumulateGrad final : public Node {
 public:
  explicit AccumulateGrad(const Tensor& leaf);

  std::string name() const override { return "torch::autograd::AccumulateGrad"; }
  TensorList apply(TensorList&& grad_outputs) override;

  const Tensor& variable() const { return variable_; }
  // The tensor is no leaf any more: gradients that still arrive are dropped.
  void forget_variable() { variable_ = Tensor(); }

 private:
  Tensor variable_;
};

}  // namespace gradlab
