#include "src/ops/masked_fill.h"

#include "src/ops/record.h"

namespace gradlab {

namespace {

// With a number.
struct MaskedFillBackward0 final : OpNode<"MaskedFillBackward0"> {
  SavedTensor mask_;
  TensorList apply(TensorList&& grad_outputs) override {
    const Tensor mask = mask_.unpack();
    const Tensor& grad = only(grad_outputs);
    return {grad.defined() ? where(mask, zeros_like(grad), grad) : Tensor()};
  }
  void release_variables() override { mask_.reset_data(); }
};

// With a tensor.
struct MaskedFillBackward1 final : OpNode<"MaskedFillBackward1"> {
  SavedTensor mask_;
  TensorList apply(TensorList&& grad_outputs) override {
    const Tensor mask = mask_.unpack();
    const Tensor& grad = only(grad_outputs);
    TensorList grads(2);
    if (!grad.defined()) return grads;
    if (task_should_compute_output(0)) grads[0] = where(mask, zeros_like(grad), grad);
    if (task_should_compute_output(1)) grads[1] = where(mask, grad, zeros_like(grad)).sum();
    return grads;
  }
  void release_variables() override { mask_.reset_data(); }
};

template <class NodeType>
const Tensor& fill_masked(const Tensor& self, const Tensor& mask, const Tensor& value, const Ref<NodeType>& node) {
  if (node) node->mask_ = SavedTensor(*node, mask, false);
  {
    const NoGradGuard no_grad;
    copy_into(self, where(mask, value, self));
  }
  return written(self, node);
}

}  // namespace

const Tensor& masked_fill_(const Tensor& self, const Tensor& mask, const Tensor& value) {
  check_inplace(self, is_recorded(self, value));
  return fill_masked(self, mask, value, record<MaskedFillBackward1>(self, value));
}

const Tensor& masked_fill_(const Tensor& self, const Tensor& mask, const Scalar& value) {
  check_inplace(self, is_recorded(self));
  return fill_masked(self, mask, wrapped_number(value), record<MaskedFillBackward0>(self));
}

}  // namespace gradlab
