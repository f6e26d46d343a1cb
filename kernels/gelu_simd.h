// Internal to kernels/: float32 GELU on the CPU for each instruction set. All of them follow gelu_lanes.h, so an element's
// result depends neither on its place nor (but for one multiply-add in 2^29) on the instruction set.
#pragma once

#include <cstdint>

namespace gradlab {

struct GeluKernels {
  void (*forward)(const float* x, float* out, std::int64_t n);
  // As gelu_backward in gelu.h.
  void (*backward)(const float* grad, std::int64_t grad_stride, const float* x, float* out, std::int64_t n);
};

enum class SimdLevel { kBaseline, kAvx2, kAvx512 };

// Null where the CPU, or the compiler that built this, lacks the instructions.
const GeluKernels* gelu_kernels_avx2();
const GeluKernels* gelu_kernels_avx512();

// The best this CPU has, or what set_simd_level said.
const GeluKernels& gelu_kernels();

// For tests and measurements: uses `level` from now on. False, and no change, where this CPU lacks it.
bool set_simd_level(SimdLevel level);

}  // namespace gradlab
