// What each elementwise op computes, once, for the host and the device, and the switches from run-time values to templates.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "kernels/elementwise.h"
#include "kernels/gelu_math.h"
#include "kernels/host_device.h"

namespace gradlab {

template <auto value>
using Constant = std::integral_constant<decltype(value), value>;

template <class T>
struct Type {
  using type = T;
};

// The C++ type of a dtype known at compile time: ElementOf<DType::kFloat32> is float.
template <DType dtype>
using ElementOf = std::conditional_t<
    dtype == DType::kFloat32, float,
    std::conditional_t<dtype == DType::kFloat64, double,
                       std::conditional_t<dtype == DType::kInt32, std::int32_t,
                                          std::conditional_t<dtype == DType::kInt64, std::int64_t, bool>>>>;

// Calls f with the Type of `dtype`.
template <class F>
decltype(auto) with_dtype(DType dtype, F&& f) {
  switch (dtype) {
    case DType::kFloat32: return f(Type<float>{});
    case DType::kFloat64: return f(Type<double>{});
    case DType::kInt32: return f(Type<std::int32_t>{});
    case DType::kInt64: return f(Type<std::int64_t>{});
    case DType::kBool: break;
  }
  return f(Type<bool>{});
}

inline constexpr int kUnaryOps = static_cast<int>(UnaryOp::kLogicalNot) + 1;
inline constexpr int kBinaryOps = static_cast<int>(BinaryOp::kReluBackward) + 1;
inline constexpr int kDTypes = static_cast<int>(DType::kBool) + 1;

GRADLAB_HOST_DEVICE constexpr bool is_comparison(BinaryOp op) { return op >= BinaryOp::kEq && op <= BinaryOp::kGe; }

template <UnaryOp op, class T>
GRADLAB_HOST_DEVICE constexpr bool unary_takes() {
  if (op == UnaryOp::kCopy) return true;
  if (op == UnaryOp::kLogicalNot) return std::is_same_v<T, bool>;
  if (std::is_same_v<T, bool>) return false;
  if (op == UnaryOp::kNeg || op == UnaryOp::kAbs || op == UnaryOp::kSign || op == UnaryOp::kRelu) return true;
  return std::is_floating_point_v<T>;
}

template <BinaryOp op, class T>
GRADLAB_HOST_DEVICE constexpr bool binary_takes() {
  if (op == BinaryOp::kAdd || op == BinaryOp::kMul || op == BinaryOp::kMaximum || op == BinaryOp::kMinimum) return true;
  if (is_comparison(op)) return true;
  if (std::is_same_v<T, bool>) return false;
  if (op == BinaryOp::kSub || op == BinaryOp::kPow) return true;
  return std::is_floating_point_v<T>;
}

// Integer arithmetic wraps around.
template <class T>
GRADLAB_HOST_DEVICE T wrapping(BinaryOp op, T a, T b) {
  using U = std::make_unsigned_t<T>;
  const U x = static_cast<U>(a), y = static_cast<U>(b);
  return static_cast<T>(op == BinaryOp::kAdd ? x + y : op == BinaryOp::kSub ? x - y : x * y);
}

// The exact short cuts of small exponents, which PyTorch takes too.
template <class T>
GRADLAB_HOST_DEVICE T power(T x, T exponent) {
  if constexpr (std::is_floating_point_v<T>) {
    using std::pow;
    using std::sqrt;
    if (exponent == T(2)) return x * x;
    if (exponent == T(3)) return x * x * x;
    if (exponent == T(0.5)) return sqrt(x);
    if (exponent == T(-0.5)) return T(1) / sqrt(x);
    if (exponent == T(1)) return x;
    if (exponent == T(-1)) return T(1) / x;
    if (exponent == T(-2)) return T(1) / (x * x);
    return pow(x, exponent);
  } else {
    if (exponent < 0) return x == T(1) ? T(1) : x == T(-1) ? (exponent % 2 != 0 ? T(-1) : T(1)) : T(0);
    T result = 1;
    for (; exponent != 0; exponent /= 2) {
      if (exponent % 2 != 0) result = wrapping(BinaryOp::kMul, result, x);
      x = wrapping(BinaryOp::kMul, x, x);
    }
    return result;
  }
}

// 1 - x * x rounded once, as PyTorch's tanh gradient has it on a processor with fused multiply-add: near saturation the
// difference cancels. float64 holds a float32's square.
template <class T>
GRADLAB_HOST_DEVICE T one_minus_square(T x) {
  if constexpr (std::is_same_v<T, float>) {
    return static_cast<float>(1.0 - static_cast<double>(x) * static_cast<double>(x));
  } else {
    using std::fma;
    return fma(-x, x, T(1));
  }
}

template <UnaryOp op, class T>
GRADLAB_HOST_DEVICE T apply(T x) {
  using std::erf, std::exp, std::fabs, std::log, std::sqrt, std::tanh;
  if constexpr (op == UnaryOp::kCopy) return x;
  if constexpr (op == UnaryOp::kLogicalNot) return !x;
  if constexpr (op == UnaryOp::kSign) return static_cast<T>((T(0) < x) - (x < T(0)));
  if constexpr (op == UnaryOp::kRelu) return x < T(0) ? T(0) : x;
  if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
    if constexpr (op == UnaryOp::kNeg) return wrapping(BinaryOp::kSub, T(0), x);
    if constexpr (op == UnaryOp::kAbs) return x < 0 ? wrapping(BinaryOp::kSub, T(0), x) : x;
  }
  if constexpr (std::is_floating_point_v<T>) {
    if constexpr (op == UnaryOp::kNeg) return -x;
    if constexpr (op == UnaryOp::kAbs) return fabs(x);
    if constexpr (op == UnaryOp::kExp) return exp(x);
    if constexpr (op == UnaryOp::kLog) return log(x);
    if constexpr (op == UnaryOp::kSqrt) return sqrt(x);
    if constexpr (op == UnaryOp::kTanh) return tanh(x);
    if constexpr (op == UnaryOp::kSigmoid) return T(1) / (T(1) + exp(-x));
    if constexpr (op == UnaryOp::kErf) return erf(x);
    if constexpr (op == UnaryOp::kGelu) return gelu(x);
    if constexpr (op == UnaryOp::kReciprocal) return T(1) / x;
  }
}

template <BinaryOp op, class T>
GRADLAB_HOST_DEVICE auto apply(T a, T b) {
  if constexpr (op == BinaryOp::kEq) return a == b;
  if constexpr (op == BinaryOp::kNe) return a != b;
  if constexpr (op == BinaryOp::kLt) return a < b;
  if constexpr (op == BinaryOp::kLe) return a <= b;
  if constexpr (op == BinaryOp::kGt) return a > b;
  if constexpr (op == BinaryOp::kGe) return a >= b;
  if constexpr (op == BinaryOp::kMaximum) return b != b || a < b ? b : a;  // of 0.0 and -0.0 the first, as in PyTorch
  if constexpr (op == BinaryOp::kMinimum) return b != b || b < a ? b : a;
  if constexpr (std::is_same_v<T, bool>) {
    if constexpr (op == BinaryOp::kAdd) return a || b;
    if constexpr (op == BinaryOp::kMul) return a && b;
  } else if constexpr (std::is_integral_v<T>) {
    if constexpr (op == BinaryOp::kAdd || op == BinaryOp::kSub || op == BinaryOp::kMul) return wrapping(op, a, b);
    if constexpr (op == BinaryOp::kPow) return power(a, b);
  } else {
    if constexpr (op == BinaryOp::kAdd) return a + b;
    if constexpr (op == BinaryOp::kSub) return a - b;
    if constexpr (op == BinaryOp::kMul) return a * b;
    if constexpr (op == BinaryOp::kDiv) return a / b;
    if constexpr (op == BinaryOp::kPow) return power(a, b);
    if constexpr (op == BinaryOp::kGeluBackward) return a * gelu_slope(b);
    if constexpr (op == BinaryOp::kTanhBackward) return a * one_minus_square(b);
    if constexpr (op == BinaryOp::kSigmoidBackward) return a * (T(1) - b) * b;
    if constexpr (op == BinaryOp::kReluBackward) return b <= T(0) ? T(0) : a;
  }
}

template <class T>
GRADLAB_HOST_DEVICE T clamp_to(T v, T low, T high) {
  return low > v ? low : high < v ? high : v;
}

template <class To, class From>
GRADLAB_HOST_DEVICE To converted(From value) {
  if constexpr (std::is_same_v<To, bool>) {
    return value != From(0);
  } else {
    return static_cast<To>(value);
  }
}

// A Python number in T; beyond the range of an integer type it is that type's end.
template <class T>
T rounded_to(double value) {
  if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
    if (value <= static_cast<double>(std::numeric_limits<T>::min())) return std::numeric_limits<T>::min();
    if (value >= static_cast<double>(std::numeric_limits<T>::max())) return std::numeric_limits<T>::max();
  }
  return converted<T>(value);
}

// A Python number as an element of `dtype`, in the first bytes.
struct Scalar {
  Scalar(DType dtype, double value) {
    with_dtype(dtype, [&](auto type) {
      const auto element = rounded_to<typename decltype(type)::type>(value);
      std::memcpy(bytes, &element, sizeof element);
    });
  }
  alignas(8) unsigned char bytes[8];
};

[[noreturn]] inline void refuse_dtype(const char* kernel) {
  throw std::invalid_argument(std::string("kernels: ") + kernel + " does not take operands of this dtype");
}

}  // namespace gradlab
