// Float32 GELU for one instruction set; included once by each gelu_*.cpp of one, which is compiled with its flags and defines
// Lanes (a GCC vector of kLanes floats, or a plain float), Bits (as many integers) and the few operations that differ.
// Everything here is in an unnamed namespace, so that no code of one instruction set is linked into another's.
//
// Forward: gelu(x) = x / 2 + |x| h with h = cdf(|x|) - 1/2, rounded once at the end. h is rounded to float32 first, see
// NOTE [The tail of GELU] in gelu_math.h. Backward: with s(a) = 1 - cdf(a) - a pdf(a), the slope is s(|x|) below 0 and
// 1 - s(|x|) above. Both functions come from gelu_table.h: no exponential, no division. The errors against float64 are below
// those of PyTorch 2.13 in every part of the range (tests/kernels/test_gelu.cpp).
#pragma once

#include <cstdint>
#include <cstring>

#include "kernels/gelu_simd.h"
#include "kernels/gelu_table.h"

// A call in the loop would cost as much as the arithmetic.
#define GRADLAB_INLINE [[gnu::always_inline]] inline

namespace gradlab {
namespace {

// Adding it leaves the nearest whole number in the low bits of the sum.
constexpr float kRounder = 12582912.0f;  // 1.5 * 2^23

GRADLAB_INLINE Lanes all(float value) { return Lanes{} + value; }

template <class To, class From>
GRADLAB_INLINE To bits_of(const From& from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(&to, &from, sizeof to);
  return to;
}

GRADLAB_INLINE Lanes with_sign_of(Lanes x, Lanes magnitude) {
  return bits_of<Lanes>(bits_of<Bits>(magnitude) | (bits_of<Bits>(x) & static_cast<std::int32_t>(0x80000000)));
}

GRADLAB_INLINE Lanes absolute(Lanes x) { return bits_of<Lanes>(bits_of<Bits>(x) & 0x7fffffff); }

// The function at a, for 0 <= a <= end; a nan gives nan.
template <int degree>
GRADLAB_INLINE Lanes value_at(const PiecewisePolynomial<degree>& function, Lanes a) {
  const Lanes shifted = multiply_add(a, all(1.0f / function.width), all(kRounder));
  const Bits piece = bits_of<Bits>(shifted);
  const Lanes u = multiply_add(shifted - kRounder, all(-function.width), a);
  Lanes value = pick(function.rows[degree], piece);
  for (int power = degree - 1; power >= 0; --power) {
    value = multiply_add(value, u, pick(function.rows[power], piece));
  }
  return value;
}

GRADLAB_INLINE Lanes gelu_of(Lanes x) {
  const Lanes a = absolute(x);
  const Lanes half_cdf = 0.5f - value_at(kTail, lesser(a, kTail.end));
  return with_sign_of(x, multiply_add(a, half_cdf, x * 0.5f));  // x * 0 in the tail, as PyTorch's formula: -0.0
}

GRADLAB_INLINE Lanes slope_of(Lanes x) {
  const Lanes a = absolute(x);
  const Lanes below = zero_from(kSlope.end, a, value_at(kSlope, lesser(a, kSlope.end)));
  const Lanes slope = choose_by_sign(x, below, 1.0f - below);
  return multiply_add(x, all(0.0f), slope);  // nan at nan and at both infinities, where x pdf(x) is inf * 0
}

GRADLAB_INLINE Lanes load(const float* data) {
  Lanes lanes;
  std::memcpy(&lanes, data, sizeof lanes);
  return lanes;
}

GRADLAB_INLINE void store(float* data, const Lanes& lanes) { std::memcpy(data, &lanes, sizeof lanes); }

// The first n < kLanes lanes.
GRADLAB_INLINE Lanes load_part(const float* data, std::int64_t n) {
  if (n == 1) return all(data[0]);
  float part[kLanes] = {};
  for (std::int64_t i = 0; i < n; ++i) part[i] = data[i];
  return load(part);
}

GRADLAB_INLINE void store_part(float* data, const Lanes& lanes, std::int64_t n) {
  float part[kLanes];
  store(part, lanes);
  for (std::int64_t i = 0; i < n; ++i) data[i] = part[i];
}

// out[i] = f(x[i], i); out may be x. The last whole vector overlaps the one before; it is read first.
template <class F>
GRADLAB_INLINE void for_lanes(const float* x, float* out, std::int64_t n, const F& f) {
  if (n < kLanes) {
    if (n > 0) store_part(out, f.part(load_part(x, n), n), n);
    return;
  }
  const std::int64_t last = n - kLanes;
  const Lanes last_result = f(load(x + last), last);
  for (std::int64_t i = 0; i < last; i += kLanes) store(out + i, f(load(x + i), i));
  store(out + last, last_result);
}

struct Forward {
  Lanes operator()(Lanes x, std::int64_t) const { return gelu_of(x); }
  Lanes part(Lanes x, std::int64_t) const { return gelu_of(x); }
};

struct DenseBackward {
  const float* grad;
  Lanes operator()(Lanes x, std::int64_t i) const { return load(grad + i) * slope_of(x); }
  Lanes part(Lanes x, std::int64_t n) const { return load_part(grad, n) * slope_of(x); }
};

struct ExpandedBackward {
  Lanes grad;
  Lanes operator()(Lanes x, std::int64_t) const { return grad * slope_of(x); }
  Lanes part(Lanes x, std::int64_t) const { return grad * slope_of(x); }
};

void forward(const float* x, float* out, std::int64_t n) { for_lanes(x, out, n, Forward{}); }

void backward(const float* grad, std::int64_t grad_stride, const float* x, float* out, std::int64_t n) {
  if (grad_stride == 0 && n > 0) {
    for_lanes(x, out, n, ExpandedBackward{all(grad[0])});
  } else {
    for_lanes(x, out, n, DenseBackward{grad});
  }
}

}  // namespace
}  // namespace gradlab
