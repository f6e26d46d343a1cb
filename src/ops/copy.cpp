// clone, contiguous, to, copy_, fill_, zero_, and writing x[i] = value.
#include "src/autograd/engine_ops.h"
#include "src/ops/record.h"
#include "src/tensor/messages.h"

namespace gradlab {

namespace {

struct CloneBackward0 final : OpNode<"CloneBackward0"> {
  TensorList apply(TensorList&& grad_outputs) override { return {only(grad_outputs)}; }
};

struct ToCopyBackward0 final : OpNode<"ToCopyBackward0"> {
  TensorOptions from_;
  TensorList apply(TensorList&& grad_outputs) override {
    const Tensor& grad = only(grad_outputs);
    return {grad.defined() ? grad.to(from_.dtype).to(from_.device) : Tensor()};
  }
};

struct CopyBackwards final : Node {
  static constexpr OperandNames kOperands{"self", "src", ""};
  TensorOptions source_;
  std::string name() const override { return "torch::autograd::CopyBackwards"; }
  TensorList apply(TensorList&& grad_outputs) override {
    const Tensor& grad = grad_outputs[0];
    TensorList grads(2);
    if (!grad.defined()) return grads;
    if (task_should_compute_output(0)) grads[0] = zeros_like(grad);
    if (task_should_compute_output(1)) grads[1] = grad.to(source_.dtype).to(source_.device);
    return grads;
  }
};

struct ZeroBackward0 final : OpNode<"ZeroBackward0"> {
  TensorList apply(TensorList&& grad_outputs) override {
    return {only(grad_outputs).defined() ? zeros_like(only(grad_outputs)) : Tensor()};
  }
};

struct FillBackward2 final : OpNode<"FillBackward2"> {
  TensorList apply(TensorList&& grad_outputs) override {
    return {only(grad_outputs).defined() ? zeros_like(only(grad_outputs)) : Tensor()};
  }
};

struct FillBackward3 final : OpNode<"FillBackward3"> {
  static constexpr OperandNames kOperands{"self", "value", ""};
  TensorList apply(TensorList&& grad_outputs) override {
    const Tensor& grad = only(grad_outputs);
    TensorList grads(2);
    if (!grad.defined()) return grads;
    if (task_should_compute_output(0)) grads[0] = zeros_like(grad);
    if (task_should_compute_output(1)) grads[1] = grad.sum();
    return grads;
  }
};

bool lies_where(const Tensor& a, const Tensor& b) {
  return a.is_same(b) || (a.is_alias_of(b) && a.storage_offset() == b.storage_offset() && a.dtype() == b.dtype() &&
                          a.shape() == b.shape() && a.strides() == b.strides());
}

// A recorded conversion of dtype or device.
Tensor to_copy(const Tensor& self, DType dtype, Device device) {
  const auto node = is_floating_point(dtype) ? record<ToCopyBackward0>(self) : Ref<ToCopyBackward0>();
  if (node) node->from_ = self.options();
  Tensor out = make_tensor(self.shape(), like_strides(self.shape(), self.strides()), dtype, device);
  copy_into(out, self);
  return linked(out, node);
}

}  // namespace

Tensor clone_contiguous(const Tensor& self) {
  const auto node = record<CloneBackward0>(self);
  Tensor out = make_tensor(self.shape(), contiguous_strides(self.shape()), self.dtype(), self.device());
  copy_into(out, self);
  return linked(out, node);
}

Tensor Tensor::clone() const {
  const auto node = record<CloneBackward0>(*this);
  Tensor out = make_tensor(shape(), like_strides(shape(), strides()), dtype(), device());
  copy_into(out, *this);
  return linked(out, node);
}

Tensor Tensor::contiguous() const {
  check_defined(*this);
  return is_contiguous() ? *this : clone_contiguous(*this);
}

Tensor Tensor::to(DType target) const {
  check_defined(*this);
  return target == dtype() ? *this : to_copy(*this, target, device());
}
Tensor Tensor::to(Device target) const {
  check_defined(*this);
  return target == device() ? *this : to_copy(*this, dtype(), target);
}

const Tensor& Tensor::copy_(const Tensor& source) const {
  check_defined(CopyBackwards::kOperands, *this, source);
  const bool recorded = is_recorded(*this, source) && is_floating_point(dtype());
  check_inplace(*this, recorded);
  const auto node = recorded ? record<CopyBackwards>(*this, source) : Ref<CopyBackwards>();
  if (node) node->source_ = source.options();
  if (!lies_where(*this, source)) {
    assert_no_internal_overlap(*this);
    assert_no_partial_overlap(*this, source);
    check_broadcasts_into(*this, source);
    is_tangled(*this, source) ? copy_one_by_one(*this, source) : copy_into(*this, source);
  }
  return written(*this, node);
}

const Tensor& Tensor::zero_() const {
  check_inplace(*this, is_recorded(*this));
  const auto node = record<ZeroBackward0>(*this);
  fill_into(*this, 0);
  return written(*this, node);
}

const Tensor& Tensor::fill_(const Scalar& value) const {
  check_inplace(*this, is_recorded(*this));
  const auto node = record<FillBackward2>(*this);
  fill_into(*this, value.value());
  return written(*this, node);
}

const Tensor& Tensor::fill_(const Tensor& value) const {
  check_defined(FillBackward3::kOperands, *this, value);
  check_inplace(*this, is_recorded(*this, value));
  const auto node = record<FillBackward3>(*this, value);
  if (value.dim() != 0) throw messages::fill_needs_scalar(value.dim());
  assert_no_internal_overlap(*this);
  fill_into(*this, value.item());
  return written(*this, node);
}

// As Python's setitem: the selected part is written, by copy_ if it is one element and by fill_ otherwise.
void Tensor::operator=(const Scalar& value) && {
  const Tensor number = scalar_tensor(value, options());
  if (dim() == 0) {
    copy_(number);
  } else {
    fill_(number);
  }
}

}  // namespace gradlab
