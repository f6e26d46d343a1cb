// add, sub, mul, div, neg, and what Python's operators make of them.
#include "src/ops/arithmetic.h"

#include "src/ops/saves_operands.h"
#include "src/tensor/messages.h"

namespace gradlab {

namespace {

struct AddBackward0 final : OpNode<"AddBackward0"> {
  TensorList apply(TensorList&& grad_outputs) override {
    const Tensor& grad = only(grad_outputs);
    TensorList grads(2);
    if (task_should_compute_output(1)) grads[1] = grad;
    if (task_should_compute_output(0)) grads[0] = grad;
    return grads;
  }
};

struct SubBackward0 final : OpNode<"SubBackward0"> {
  TensorList apply(TensorList&& grad_outputs) override {
    const Tensor& grad = only(grad_outputs);
    TensorList grads(2);
    if (!grad.defined()) return grads;
    if (task_should_compute_output(1)) grads[1] = grad.neg();
    if (task_should_compute_output(0)) grads[0] = grad;
    return grads;
  }
};

// number - tensor
struct RsubBackward1 final : OpNode<"RsubBackward1"> {
  TensorList apply(TensorList&& grad_outputs) override {
    const Tensor& grad = only(grad_outputs);
    return {grad.defined() ? grad.neg() : Tensor()};
  }
};

// grad * factor, in grad's own memory where nobody else can see it: a chain of products then allocates nothing.
Tensor scaled(Tensor&& grad, const Tensor& factor) {
  const bool fits = factor.shape() == grad.shape() || factor.dim() == 0;
  if (!fits || GradMode::is_enabled() || Observer::current() != nullptr || !is_private(grad) ||
      grad.impl()->version.current() != 0 || result_type(grad, factor) != grad.dtype()) {
    return grad * factor;
  }
  binary_into(BinaryOp::kMul, grad, grad, factor);
  return std::move(grad);
}

struct MulBackward0 final : SavesOperands<"MulBackward0", UnpackedFirst::kRight, MulBackward0> {
  void differentiate(TensorList& grads, Tensor&& grad, const Tensor& self, const Tensor& other) {
    if (task_should_compute_output(1)) grads[1] = grad * self;
    if (task_should_compute_output(0)) grads[0] = scaled(Tensor(std::move(grad)), other);
  }
};

struct DivBackward0 final : SavesOperands<"DivBackward0", UnpackedFirst::kRight, DivBackward0> {
  void differentiate(TensorList& grads, Tensor&& grad, const Tensor& self, const Tensor& other) {
    if (task_should_compute_output(1)) grads[1] = -grad * ((self / other) / other);
    if (task_should_compute_output(0)) grads[0] = grad / other;
  }
};

// By a number that no tensor holds.
struct DivBackward1 final : OpNode<"DivBackward1"> {
  double number_ = 1;
  TensorList apply(TensorList&& grad_outputs) override {
    const Tensor& grad = only(grad_outputs);
    return {grad.defined() ? div_number(grad, number_) : Tensor()};
  }
};

struct NegBackward0 final : OpNode<"NegBackward0"> {
  TensorList apply(TensorList&& grad_outputs) override {
    const Tensor& grad = only(grad_outputs);
    return {grad.defined() ? grad.neg() : Tensor()};
  }
};

void check_can_subtract(const Tensor& a, const Tensor& b) {
  const bool a_bool = a.dtype() == DType::kBool;
  const bool b_bool = b.dtype() == DType::kBool;
  if (a_bool || b_bool) throw messages::bool_subtract(a_bool && b_bool);
}

// One of the four, out of place.
template <class NodeType>
Tensor binary_op(BinaryOp op, const Tensor& self, const Tensor& other, const Ref<NodeType>& node) {
  DType dtype = result_type(self, other);
  if (op == BinaryOp::kDiv) dtype = float_type(dtype);
  return linked(call_binary(op, self, other, dtype), node);
}

// One of the four, in place, after the autograd checks.
template <class NodeType>
const Tensor& binary_op_(BinaryOp op, const Tensor& self, const Tensor& other, const Ref<NodeType>& node) {
  assert_no_internal_overlap(self);
  assert_no_partial_overlap(self, other);
  check_broadcasts_into(self, other);
  DType dtype = result_type(self, other);
  if (op == BinaryOp::kDiv) dtype = float_type(dtype);
  check_can_cast(dtype, self.dtype());
  common_device(self, other);
  if (is_tangled(self, other)) [[unlikely]] {
    binary_one_by_one(op, self, other);
  } else if (dtype == self.dtype()) {
    binary_into(op, self, self, other);
  } else {
    copy_into(self, call_binary(op, self, other, dtype));
  }
  return written(self, node);
}

// An op with a number that nothing records needs no tensor for the number.
template <class NodeType>
Tensor number_op(BinaryOp op, const Tensor& self, const Scalar& number) {
  if (Observer::current() != nullptr) [[unlikely]] report_inputs({&self});
  DType dtype = result_type(self, number);
  if (op == BinaryOp::kDiv) dtype = float_type(dtype);
  return linked(call_binary(op, self, number, dtype), Ref<NodeType>());
}

// `self` is about to be overwritten, if it is written `in_place`.
void save_operands(MulBackward0& node, const Tensor& self, const Tensor& other, bool in_place) {
  if (node.needs_right()) node.save_right(other);
  if (node.needs_left()) node.save_left(in_place ? self.clone() : self);
}

void save_operands(DivBackward0& node, const Tensor& self, const Tensor& other, bool in_place) {
  node.save_right(other);  // for both gradients
  if (node.needs_left()) node.save_left(in_place ? self.clone() : self);
}

Tensor rsub(const Tensor& self, const Scalar& number) {
  check_defined(self);
  if (self.dtype() == DType::kBool) throw messages::bool_subtract(false);
  const Tensor left = wrapped_number(number);
  const Ref<RsubBackward1> node = record<RsubBackward1>(self);
  return linked(call_binary(BinaryOp::kSub, left, self, result_type(left, self)), node);
}

}  // namespace

Tensor div_number(const Tensor& self, double number) {
  const auto node = record<DivBackward1>(self);
  if (node) node->number_ = number;
  const Scalar scalar(number);
  return linked(call_binary(BinaryOp::kDiv, self, scalar, float_type(result_type(self, scalar))), node);
}

Tensor Tensor::add(const Tensor& other) const {
  const auto node = record<AddBackward0>(*this, other);
  return binary_op(BinaryOp::kAdd, *this, other, node);
}

Tensor Tensor::sub(const Tensor& other) const {
  const auto node = record<SubBackward0>(*this, other);
  check_can_subtract(*this, other);
  return binary_op(BinaryOp::kSub, *this, other, node);
}

Tensor Tensor::mul(const Tensor& other) const {
  const auto node = record<MulBackward0>(*this, other);
  if (node) save_operands(*node, *this, other, false);
  return binary_op(BinaryOp::kMul, *this, other, node);
}

Tensor Tensor::div(const Tensor& other) const {
  const auto node = record<DivBackward0>(*this, other);
  if (node) save_operands(*node, *this, other, false);
  return binary_op(BinaryOp::kDiv, *this, other, node);
}

Tensor Tensor::neg() const {
  check_defined(*this);
  if (dtype() == DType::kBool) throw messages::bool_negate();
  const auto node = record<NegBackward0>(*this);
  return linked(call_unary(UnaryOp::kNeg, *this), node);
}

const Tensor& Tensor::add_(const Tensor& other) const {
  check_inplace(*this, is_recorded(*this, other));
  const auto node = record<AddBackward0>(*this, other);
  return binary_op_(BinaryOp::kAdd, *this, other, node);
}

const Tensor& Tensor::sub_(const Tensor& other) const {
  check_inplace(*this, is_recorded(*this, other));
  const auto node = record<SubBackward0>(*this, other);
  check_can_subtract(*this, other);
  return binary_op_(BinaryOp::kSub, *this, other, node);
}

const Tensor& Tensor::mul_(const Tensor& other) const {
  check_inplace(*this, is_recorded(*this, other));
  const auto node = record<MulBackward0>(*this, other);
  if (node) save_operands(*node, *this, other, true);
  return binary_op_(BinaryOp::kMul, *this, other, node);
}

const Tensor& Tensor::div_(const Tensor& other) const {
  check_inplace(*this, is_recorded(*this, other));
  const auto node = record<DivBackward0>(*this, other);
  if (node) save_operands(*node, *this, other, true);
  return binary_op_(BinaryOp::kDiv, *this, other, node);
}

const Tensor& Tensor::neg_() const {
  check_inplace(*this, is_recorded(*this));
  if (dtype() == DType::kBool) throw messages::bool_negate();
  const auto node = record<NegBackward0>(*this);
  assert_no_internal_overlap(*this);
  unary_into(UnaryOp::kNeg, *this, *this);
  return written(*this, node);
}

Tensor Tensor::add(const Scalar& other) const {
  return is_recorded(*this) ? add(wrapped_number(other)) : number_op<AddBackward0>(BinaryOp::kAdd, *this, other);
}
Tensor Tensor::sub(const Scalar& other) const { return sub(wrapped_number(other)); }
Tensor Tensor::mul(const Scalar& other) const {
  return is_recorded(*this) ? mul(wrapped_number(other)) : number_op<MulBackward0>(BinaryOp::kMul, *this, other);
}
Tensor Tensor::div(const Scalar& other) const {
  return is_recorded(*this) ? div(wrapped_number(other)) : number_op<DivBackward0>(BinaryOp::kDiv, *this, other);
}
const Tensor& Tensor::add_(const Scalar& other) const { return add_(wrapped_number(other)); }
const Tensor& Tensor::sub_(const Scalar& other) const { return sub_(wrapped_number(other)); }
const Tensor& Tensor::mul_(const Scalar& other) const { return mul_(wrapped_number(other)); }
const Tensor& Tensor::div_(const Scalar& other) const { return div_(wrapped_number(other)); }

Tensor operator+(const Tensor& a, const Tensor& b) { return a.add(b); }
Tensor operator-(const Tensor& a, const Tensor& b) { return a.sub(b); }
Tensor operator*(const Tensor& a, const Tensor& b) { return a.mul(b); }
Tensor operator/(const Tensor& a, const Tensor& b) { return a.div(b); }
Tensor operator+(const Tensor& a, const Scalar& b) { return a.add(b); }
Tensor operator-(const Tensor& a, const Scalar& b) { return a.sub(b); }
Tensor operator*(const Tensor& a, const Scalar& b) { return a.mul(b); }
Tensor operator/(const Tensor& a, const Scalar& b) { return a.div(b); }
Tensor operator+(const Scalar& a, const Tensor& b) { return b.add(a); }
Tensor operator-(const Scalar& a, const Tensor& b) { return rsub(b, a); }
Tensor operator*(const Scalar& a, const Tensor& b) { return b.mul(a); }
Tensor operator/(const Scalar& a, const Tensor& b) { return b.reciprocal().mul(a); }
Tensor operator-(const Tensor& a) { return a.neg(); }

}  // namespace gradlab
