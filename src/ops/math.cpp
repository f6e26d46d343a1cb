// Math of one tensor: exp, log, sqrt, tanh, sigmoid, relu, erf, gelu, abs, sign, reciprocal, pow. Formulas: the derivatives'
// textbook forms, composed of the ops that PyTorch composes them of, so that double backward records the same nodes.
#include <array>
#include <cmath>
#include <numbers>

#include "src/ops/saves_operands.h"
#include "src/tensor/messages.h"

namespace gradlab {

namespace {

// A node that needs what it was computed from.
template <FixedString kName>
struct SavesSelf : OpNode<kName> {
  SavedTensor self_;

  TensorList apply(TensorList&& grad_outputs) final {
    const Tensor self = self_.unpack();
    const Tensor& grad = grad_outputs[0];
    return {grad.defined() ? gradient(grad, self) : Tensor()};
  }
  void release_variables() final { self_.reset_data(); }
  virtual Tensor gradient(const Tensor& grad, const Tensor& self) const = 0;
};

// A node that needs what it computed.
template <FixedString kName>
struct SavesResult : OpNode<kName> {
  SavedTensor result_;

  TensorList apply(TensorList&& grad_outputs) final {
    const Tensor result = result_.unpack(this->self_ref());
    const Tensor& grad = grad_outputs[0];
    return {grad.defined() ? gradient(grad, result) : Tensor()};
  }
  void release_variables() final { result_.reset_data(); }
  virtual Tensor gradient(const Tensor& grad, const Tensor& result) const = 0;
};

// The gradient kernels, ops of their own so that they can be differentiated again.
Tensor tanh_backward(const Tensor& grad, const Tensor& result);
Tensor sigmoid_backward(const Tensor& grad, const Tensor& result);
Tensor threshold_backward(const Tensor& grad, const Tensor& result);
Tensor gelu_backward(const Tensor& grad, const Tensor& self);

struct ExpBackward0 final : SavesResult<"ExpBackward0"> {
  Tensor gradient(const Tensor& grad, const Tensor& result) const override { return grad * result; }
};
struct SqrtBackward0 final : SavesResult<"SqrtBackward0"> {
  Tensor gradient(const Tensor& grad, const Tensor& result) const override { return grad / (2 * result); }
};
struct ReciprocalBackward0 final : SavesResult<"ReciprocalBackward0"> {
  Tensor gradient(const Tensor& grad, const Tensor& result) const override { return -grad * (result * result); }
};
struct TanhBackward0 final : SavesResult<"TanhBackward0"> {
  Tensor gradient(const Tensor& grad, const Tensor& result) const override { return tanh_backward(grad, result); }
};
struct SigmoidBackward0 final : SavesResult<"SigmoidBackward0"> {
  Tensor gradient(const Tensor& grad, const Tensor& result) const override { return sigmoid_backward(grad, result); }
};
struct ReluBackward0 final : SavesResult<"ReluBackward0"> {
  Tensor gradient(const Tensor& grad, const Tensor& result) const override { return threshold_backward(grad, result); }
};

struct LogBackward0 final : SavesSelf<"LogBackward0"> {
  Tensor gradient(const Tensor& grad, const Tensor& self) const override { return grad.div(self); }
};
struct ErfBackward0 final : SavesSelf<"ErfBackward0"> {
  Tensor gradient(const Tensor& grad, const Tensor& self) const override {
    return 2.0 * std::numbers::inv_sqrtpi * (-self.pow(2)).exp() * grad;
  }
};
struct GeluBackward0 final : SavesSelf<"GeluBackward0"> {
  Tensor gradient(const Tensor& grad, const Tensor& self) const override { return gelu_backward(grad, self); }
};
struct AbsBackward0 final : SavesSelf<"AbsBackward0"> {
  Tensor gradient(const Tensor& grad, const Tensor& self) const override { return grad * self.sign(); }
};
struct SignBackward0 final : OpNode<"SignBackward0"> {
  TensorList apply(TensorList&& grad_outputs) override {
    return {grad_outputs[0].defined() ? zeros_like(grad_outputs[0]) : Tensor()};
  }
};
struct PowBackward0 final : SavesSelf<"PowBackward0"> {
  double exponent_ = 0;
  Tensor gradient(const Tensor& grad, const Tensor& self) const override {
    if (exponent_ == 0) return zeros_like(self);
    return grad * (exponent_ * self.pow(exponent_ - 1));
  }
};

// ---- gradients of gradients ----

// A node of a gradient kernel: of the gradient it multiplied and of the value it took the slope at.
template <FixedString kName>
struct SlopeNode : SavesOperands<kName, UnpackedFirst::kLeft, SlopeNode<kName>> {
  void differentiate(TensorList& grads, Tensor&& grad, const Tensor& grad_output, const Tensor& value) {
    if (this->task_should_compute_output(0)) grads[0] = of_grad_output(grad, value);
    if (this->task_should_compute_output(1)) grads[1] = of_value(grad, grad_output, value);
  }
  static constexpr bool kNeedsGradOutput = true;
  virtual Tensor of_grad_output(const Tensor& grad, const Tensor& value) const = 0;
  virtual Tensor of_value(const Tensor& grad, const Tensor& grad_output, const Tensor& value) const = 0;
};

struct TanhBackwardBackward0 final : SlopeNode<"TanhBackwardBackward0"> {
  Tensor of_grad_output(const Tensor& grad, const Tensor& value) const override { return tanh_backward(grad, value); }
  Tensor of_value(const Tensor& grad, const Tensor& grad_output, const Tensor& value) const override {
    return grad * (-2 * value * grad_output);
  }
};
struct SigmoidBackwardBackward0 final : SlopeNode<"SigmoidBackwardBackward0"> {
  Tensor of_grad_output(const Tensor& grad, const Tensor& value) const override { return sigmoid_backward(grad, value); }
  Tensor of_value(const Tensor& grad, const Tensor& grad_output, const Tensor& value) const override {
    return grad * grad_output * (-2 * value + 1);
  }
};
struct ThresholdBackwardBackward0 final : SlopeNode<"ThresholdBackwardBackward0"> {
  static constexpr bool kNeedsGradOutput = false;
  Tensor of_grad_output(const Tensor& grad, const Tensor& value) const override { return threshold_backward(grad, value); }
  Tensor of_value(const Tensor& grad, const Tensor&, const Tensor&) const override { return zeros_like(grad); }
};
struct GeluBackwardBackward0 final : SlopeNode<"GeluBackwardBackward0"> {
  Tensor of_grad_output(const Tensor& grad, const Tensor& value) const override { return gelu_backward(grad, value); }
  // gelu''(x) = pdf(x) * (2 - x^2)
  Tensor of_value(const Tensor& grad, const Tensor& grad_output, const Tensor& value) const override {
    const Tensor square = value * value;
    const Tensor pdf = (std::numbers::inv_sqrtpi * std::numbers::sqrt2 / 2) * (-0.5 * square).exp();
    return grad * grad_output * (pdf * (2 - square));
  }
};

template <class NodeType>
Tensor slope(BinaryOp op, const Tensor& grad, const Tensor& value) {
  const auto node = record<NodeType>(grad, value);
  if (node) {
    if (NodeType::kNeedsGradOutput && node->needs_left()) node->save_left(grad);
    node->save_right(value);
  }
  return linked(call_binary(op, grad, value, result_type(grad, value)), node);
}

Tensor tanh_backward(const Tensor& grad, const Tensor& result) {
  return slope<TanhBackwardBackward0>(BinaryOp::kTanhBackward, grad, result);
}
Tensor sigmoid_backward(const Tensor& grad, const Tensor& result) {
  return slope<SigmoidBackwardBackward0>(BinaryOp::kSigmoidBackward, grad, result);
}
Tensor threshold_backward(const Tensor& grad, const Tensor& result) {
  return slope<ThresholdBackwardBackward0>(BinaryOp::kReluBackward, grad, result);
}
Tensor gelu_backward(const Tensor& grad, const Tensor& self) {
  return slope<GeluBackwardBackward0>(BinaryOp::kGeluBackward, grad, self);
}

// ---- the ops ----

// What the formula of `op` is computed in: relu and the like keep integers.
Tensor operand_of(UnaryOp op, const Tensor& tensor) {
  const bool keeps_integers = op == UnaryOp::kRelu || op == UnaryOp::kAbs;
  return keeps_integers ? tensor : raw_to(tensor, float_type(tensor.dtype()));
}

template <class NodeType>
Tensor from_self(UnaryOp op, const Tensor& self) {
  const auto node = record<NodeType>(self);
  if (node) node->self_ = SavedTensor(*node, self, false);
  return linked(call_unary(op, operand_of(op, self)), node);
}

template <class NodeType>
Tensor from_result(UnaryOp op, const Tensor& self) {
  const auto node = record<NodeType>(self);
  const Tensor result = linked(call_unary(op, operand_of(op, self)), node);
  if (node) node->result_ = SavedTensor(*node, result, true);
  return result;
}

template <class NodeType>
const Tensor& from_result_(UnaryOp op, const Tensor& self) {
  check_inplace(self, is_recorded(self));
  const auto node = record<NodeType>(self);
  assert_no_internal_overlap(self);
  if (op != UnaryOp::kRelu) check_can_cast(float_type(self.dtype()), self.dtype());
  unary_into(op, self, self);
  written(self, node);
  if (node) node->result_ = SavedTensor(*node, self, true, self.is_view());
  return self;
}

}  // namespace

Tensor Tensor::exp() const { return from_result<ExpBackward0>(UnaryOp::kExp, *this); }
Tensor Tensor::sqrt() const { return from_result<SqrtBackward0>(UnaryOp::kSqrt, *this); }
Tensor Tensor::tanh() const { return from_result<TanhBackward0>(UnaryOp::kTanh, *this); }
Tensor Tensor::sigmoid() const { return from_result<SigmoidBackward0>(UnaryOp::kSigmoid, *this); }
Tensor Tensor::reciprocal() const { return from_result<ReciprocalBackward0>(UnaryOp::kReciprocal, *this); }
Tensor Tensor::log() const { return from_self<LogBackward0>(UnaryOp::kLog, *this); }
Tensor Tensor::erf() const { return from_self<ErfBackward0>(UnaryOp::kErf, *this); }

Tensor Tensor::relu() const {
  check_defined(*this);
  if (dtype() == DType::kBool) throw messages::relu_of_bool();
  return from_result<ReluBackward0>(UnaryOp::kRelu, *this);
}

Tensor Tensor::gelu() const {
  check_defined(*this);
  if (!is_floating_point(dtype())) throw messages::not_implemented_for("GeluKernelImpl", dtype());
  return from_self<GeluBackward0>(UnaryOp::kGelu, *this);
}

Tensor Tensor::abs() const {
  check_defined(*this);
  if (dtype() == DType::kBool) throw messages::not_implemented_for("abs_cpu", dtype());
  return from_self<AbsBackward0>(UnaryOp::kAbs, *this);
}

Tensor Tensor::sign() const {
  check_defined(*this);
  const auto node = record<SignBackward0>(*this);
  return linked(call_unary(dtype() == DType::kBool ? UnaryOp::kCopy : UnaryOp::kSign, *this), node);
}

Tensor Tensor::pow(const Scalar& exponent) const {
  const auto node = record<PowBackward0>(*this);
  if (node) {
    node->self_ = SavedTensor(*node, *this, false);
    node->exponent_ = exponent.value();
  }
  const Tensor power = wrapped_number(exponent);
  const DType dtype = result_type(*this, power);
  if (!is_floating_point(dtype) && exponent.value() < 0) throw messages::integer_to_negative_power();
  // Laid out as a unary op's result.
  const std::array operands{Layout{shape(), strides()}};
  Tensor out = make_tensor(shape(), elementwise_strides(shape(), operands), dtype, device());
  if (is_floating_point(dtype)) {
    binary_into(BinaryOp::kPow, out, *this, power);
  } else {
    copy_into(out, raw_to(*this, DType::kFloat64).pow(exponent.value()));
  }
  return linked(out, node);
}

const Tensor& Tensor::exp_() const { return from_result_<ExpBackward0>(UnaryOp::kExp, *this); }
const Tensor& Tensor::tanh_() const { return from_result_<TanhBackward0>(UnaryOp::kTanh, *this); }
const Tensor& Tensor::sigmoid_() const { return from_result_<SigmoidBackward0>(UnaryOp::kSigmoid, *this); }

const Tensor& Tensor::relu_() const {
  check_defined(*this);
  if (dtype() == DType::kBool) throw messages::relu_of_bool();
  return from_result_<ReluBackward0>(UnaryOp::kRelu, *this);
}

}  // namespace gradlab
