// Comparisons, and ops that choose between values: maximum, minimum, clamp, where.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "src/ops/masked_fill.h"
#include "src/ops/saves_operands.h"
#include "src/tensor/messages.h"

namespace gradlab {

namespace {

// Equal values share the gradient.
template <FixedString kName>
struct PickNode : SavesOperands<kName, UnpackedFirst::kRight, PickNode<kName>> {
  void differentiate(TensorList& grads, Tensor&& grad, const Tensor& self, const Tensor& other) {
    const auto share = [&](const Tensor& is_not_picked) {
      const Tensor shared = where(self.eq(other), grad / 2, grad);
      masked_fill_(shared, is_not_picked, 0);
      return shared;
    };
    if (this->task_should_compute_output(0)) grads[0] = share(is_behind(self, other));
    if (this->task_should_compute_output(1)) grads[1] = share(is_behind(other, self));
  }
  virtual Tensor is_behind(const Tensor& a, const Tensor& b) const = 0;  // a is not the value picked
};
struct MaximumBackward0 final : PickNode<"MaximumBackward0"> {
  Tensor is_behind(const Tensor& a, const Tensor& b) const override { return a.lt(b); }
};
struct MinimumBackward0 final : PickNode<"MinimumBackward0"> {
  Tensor is_behind(const Tensor& a, const Tensor& b) const override { return a.gt(b); }
};

struct ClampBackward1 final : OpNode<"ClampBackward1"> {
  SavedTensor self_;
  double low_ = 0;
  double high_ = 0;
  TensorList apply(TensorList&& grad_outputs) override {
    const Tensor& grad = only(grad_outputs);
    const Tensor self = self_.unpack();
    if (!grad.defined()) return {Tensor()};
    const Tensor inside = self.ge(wrapped_number(low_)).to(grad.dtype()) * self.le(wrapped_number(high_)).to(grad.dtype());
    return {where(inside.ne(wrapped_number(0.0)), grad, zeros_like(grad))};
  }
  void release_variables() override { self_.reset_data(); }
};

struct WhereBackward0 final : OpNode<"WhereBackward0"> {
  SavedTensor condition_;
  TensorList apply(TensorList&& grad_outputs) override {
    const Tensor& grad = only(grad_outputs);
    const Tensor condition = condition_.unpack();
    TensorList grads(2);
    if (!grad.defined()) return grads;
    if (task_should_compute_output(0)) grads[0] = where(condition, grad, zeros_like(grad));
    if (task_should_compute_output(1)) grads[1] = where(condition, zeros_like(grad), grad);
    return grads;
  }
  void release_variables() override { condition_.reset_data(); }
};

template <class NodeType>
Tensor pick(BinaryOp op, const Tensor& self, const Tensor& other) {
  const auto node = record<NodeType>(self, other);
  if (node) {
    node->save_left(self);
    node->save_right(other);
  }
  return linked(call_binary(op, self, other, result_type(self, other)), node);
}

Tensor compare(BinaryOp op, const Tensor& self, const Tensor& other) {
  check_defined(kSelfOther, self, other);
  return call_comparison(op, self, other);
}

}  // namespace

Tensor Tensor::maximum(const Tensor& other) const { return pick<MaximumBackward0>(BinaryOp::kMaximum, *this, other); }
Tensor Tensor::minimum(const Tensor& other) const { return pick<MinimumBackward0>(BinaryOp::kMinimum, *this, other); }

Tensor Tensor::clamp(const Scalar& low, const Scalar& high) const {
  const auto node = record<ClampBackward1>(*this);
  if (node) {
    node->self_ = SavedTensor(*node, *this, false);
    node->low_ = low.value();
    node->high_ = high.value();
  }
  const DType dtype = result_type(*this, low.dtype() == DType::kBool || is_floating_point(high.dtype()) ? high : low);
  if (dtype == DType::kBool) throw messages::not_implemented_for("clamp_scalar_cpu", dtype);
  const Tensor in = raw_to(*this, dtype);
  const std::array operands{Layout{shape(), strides()}};
  Tensor out = make_tensor(shape(), elementwise_strides(shape(), operands), in.dtype(), device());
  if (std::isnan(low.value()) || std::isnan(high.value())) {
    fill_into(out, std::numeric_limits<double>::quiet_NaN());
    return linked(out, node);
  }
  // Of crossed bounds the upper one wins.
  gradlab::clamp(device(), extent_of(shape()), {out.data_ptr(), out.dtype(), out.strides().data()},
                 {in.data_ptr(), in.dtype(), in.strides().data()}, std::min(low.value(), high.value()), high.value());
  return linked(out, node);
}

Tensor where(const Tensor& condition, const Tensor& a, const Tensor& b) {
  check_defined({"condition", "self", "other"}, condition, a, b);
  const auto node = record<WhereBackward0>(a, b);
  if (condition.dtype() != DType::kBool) throw messages::where_needs_bool(condition.dtype());
  if (node) node->condition_ = SavedTensor(*node, condition, false);
  const DType dtype = result_type(a, b);
  const Tensor left = raw_to(a, dtype);
  const Tensor right = raw_to(b, dtype);
  const Shape shape = broadcast_shapes(broadcast_shapes(condition.shape(), a.shape()), b.shape());
  const std::array operands{Layout{condition.shape(), condition.strides()}, Layout{left.shape(), left.strides()},
                            Layout{right.shape(), right.strides()}};
  Tensor out = make_tensor(shape, elementwise_strides(shape, operands), dtype, common_device(a, b));
  where(out.device(), extent_of(shape), {out.data_ptr(), dtype, out.strides().data()},
        {condition.data_ptr(), condition.dtype(), strides_over(condition, shape).data()},
        {left.data_ptr(), dtype, strides_over(left, shape).data()}, {right.data_ptr(), dtype, strides_over(right, shape).data()});
  return linked(out, node);
}

Tensor Tensor::eq(const Tensor& other) const { return compare(BinaryOp::kEq, *this, other); }
Tensor Tensor::ne(const Tensor& other) const { return compare(BinaryOp::kNe, *this, other); }
Tensor Tensor::lt(const Tensor& other) const { return compare(BinaryOp::kLt, *this, other); }
Tensor Tensor::le(const Tensor& other) const { return compare(BinaryOp::kLe, *this, other); }
Tensor Tensor::gt(const Tensor& other) const { return compare(BinaryOp::kGt, *this, other); }
Tensor Tensor::ge(const Tensor& other) const { return compare(BinaryOp::kGe, *this, other); }

bool equal(const Tensor& a, const Tensor& b) {
  if (a.shape() != b.shape()) return false;
  const HostValues left(a);
  const HostValues right(b);
  for (std::int64_t i = 0; i < a.numel(); ++i) {
    if (left[i] != right[i]) return false;
  }
  return true;
}

bool allclose(const Tensor& a, const Tensor& b, double rtol, double atol, bool equal_nan) {
  if (a.dtype() != b.dtype()) throw messages::allclose_dtype(a.dtype(), b.dtype());
  const NoGradGuard no_grad;
  const Shape shape = broadcast_shapes(a.shape(), b.shape());
  const HostValues left(a.expand(shape));
  const HostValues right(b.expand(shape));
  for (std::int64_t i = 0; i < numel_of(shape); ++i) {
    const double x = left[i];
    const double y = right[i];
    if (x == y || (equal_nan && x != x && y != y)) continue;
    const double difference = x > y ? x - y : y - x;
    const double allowed = atol + rtol * (y < 0 ? -y : y);
    const bool is_close = difference <= allowed && allowed < std::numeric_limits<double>::infinity();
    if (!is_close) return false;
  }
  return true;
}

}  // namespace gradlab
