// Elementwise kernels over strided operands, on either device. Sizes and strides are in elements.
// Unless a line says otherwise every operand of one call has the same dtype. An output may be one of the inputs (same
// pointer and strides); other overlaps are the caller's to refuse. Math ops take float32 and float64 only.
// kGelu and kGeluBackward on dense operands (and on a gradient expanded from one value) are gelu.h's kernels.
// Throw std::invalid_argument for a dtype an op does not take, std::length_error when more than 32 dimensions of a size other
// than 1 cannot be merged, and on CUDA DeviceError.
#pragma once

#include "kernels/device.h"
#include "kernels/strided.h"

namespace gradlab {

enum class UnaryOp : std::uint8_t {
  kCopy,  // every dtype
  kNeg, kAbs, kSign,  // every dtype but bool
  kExp, kLog, kSqrt, kTanh, kSigmoid, kErf, kGelu, kReciprocal,
  kRelu,        // max(x, 0); nan stays nan
  kLogicalNot,  // bool
};

enum class BinaryOp : std::uint8_t {
  kAdd, kSub, kMul, kDiv,  // bool: add is or, mul is and; kDiv is true division, floating dtypes only
  kPow,                    // pow(a, b)
  kMaximum, kMinimum,      // nan in either gives nan
  kEq, kNe, kLt, kLe, kGt, kGe,  // out is bool
  // Gradients of unary ops: a is the gradient that arrives, b the value named.
  kGeluBackward,     // b = the input x: a * (cdf(x) + x * pdf(x))
  kTanhBackward,     // b = the result y: a * (1 - y * y)
  kSigmoidBackward,  // b = the result y: a * y * (1 - y)
  kReluBackward,     // b = the result y: y <= 0 ? 0 : a  (nan in b passes a)
};

// out[i] = op(in[i])
void unary(Device device, UnaryOp op, Extent extent, Operand out, ConstOperand in);

// out[i] = op(a[i], b[i])
void binary(Device device, BinaryOp op, Extent extent, Operand out, ConstOperand a, ConstOperand b);

// out[i] = op(a[i], scalar), and out[i] = op(scalar, b[i]). The scalar is rounded to the operand's dtype first, as PyTorch
// does with a Python number. pow by 2, 3, 0.5, 1, -1, -2 takes the exact short cut (x * x, x * x * x, sqrt(x), ...).
void binary_scalar(Device device, BinaryOp op, Extent extent, Operand out, ConstOperand a, double scalar);
void scalar_binary(Device device, BinaryOp op, Extent extent, Operand out, double scalar, ConstOperand b);

// out[i] = condition[i] ? a[i] : b[i]; condition is bool.
void where(Device device, Extent extent, Operand out, ConstOperand condition, ConstOperand a, ConstOperand b);

// out[i] = low > v ? low : (high < v ? high : v) for v = in[i]; nan stays nan. Pass -inf and inf for an absent bound.
void clamp(Device device, Extent extent, Operand out, ConstOperand in, double low, double high);

// out[i] = value, any dtype.
void fill(Device device, Extent extent, Operand out, double value);

// out[i] = in[i] converted as C++ does (to bool: != 0). Any two dtypes; equal ones copy.
void convert(Device device, Extent extent, Operand out, ConstOperand in);

}  // namespace gradlab
