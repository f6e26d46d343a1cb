// GELU's formulas, once, for the host and the device. T is float or double.
#pragma once

#include <cmath>

#include "kernels/erf.h"
#include "kernels/host_device.h"

namespace gradlab {

// NOTE [The tail of GELU]: cdf is (1 + erf) / 2 and not erfc / 2, as in the chapter and in PyTorch. In float32 it is then a
// multiple of 2^-25 for x < -1 and exactly 0 from x = -5.7 down, so gelu(-6) is a zero here as it is there; an erfc would
// give -5.9e-9.
template <class T>
GRADLAB_HOST_DEVICE T normal_cdf(T x) {
  return T(0.5) * (T(1) + erf_of(x * T(0.70710678118654752440)));
}

template <class T>
GRADLAB_HOST_DEVICE T normal_pdf(T x) {
  using std::exp;
  return exp(x * x * T(-0.5)) * T(0.39894228040143267794);
}

template <class T>
GRADLAB_HOST_DEVICE T gelu(T x) {
  return x * normal_cdf(x);
}

// The derivative of gelu at x.
template <class T>
GRADLAB_HOST_DEVICE T gelu_slope(T x) {
  return normal_cdf(x) + x * normal_pdf(x);
}

}  // namespace gradlab
