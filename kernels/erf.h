// erf on the host and the device. The same bits as std::erf and, on the device, as CUDA's erff.
#pragma once

#include <cmath>
#include <type_traits>

#include "kernels/host_device.h"

namespace gradlab {

#ifdef __CUDACC__

// The coefficient of the highest power first.
template <class... Coefficients>
__device__ float polynomial(float x, float value, Coefficients... lower) {
  ((value = fmaf(value, x, lower)), ...);
  return value;
}

// CUDA's erff in fewer instructions. Near 0 and further out it is a different polynomial each: erff chooses coefficient by
// coefficient, this evaluates both. GELU's backward at full memory speed takes the GPU to its power limit, where the clock
// drops until arithmetic is what it waits for: bench/RESULTS.md, the H200.
inline __device__ float device_erf(float x) {
  const float size = fabsf(x), square = x * x;
  const float slope = polynomial(square, 8.4834945e-05f, -0.00082130916f, 0.005213489f, -0.026868774f, 0.11284005f,
                                 -0.37612665f, 0.12837915f);
  const float near = fmaf(slope, x, x);
  const float rate = polynomial(size, 0.000112198715f, -0.0013275252f, 0.008396535f, -0.040246584f, 0.15950431f, 0.9129177f,
                                0.62906003f);
  float rest;  // 2 to the power -size * (1 + rate), which is 1 - erf
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(rest) : "f"(fmaf(rate, -size, -size)));
  const float far = copysignf(1.0f - rest, x);
  return size >= 1.00296f ? far : near;  // both are there: a choice, not a branch
}

#endif

template <class T>
GRADLAB_HOST_DEVICE T erf_of(T x) {
#ifdef __CUDA_ARCH__
  if constexpr (std::is_same_v<T, float>) return device_erf(x);
#endif
  return std::erf(x);
}

}  // namespace gradlab
