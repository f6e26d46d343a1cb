// GELU on the CPU: float32 by instruction set, one float at a time in plain C++ where there is none; float64 by the formula.
#include <atomic>
#include <cstdint>

#include "kernels/backends.h"
#include "kernels/gelu_math.h"
#include "kernels/parallel.h"

namespace gradlab {
namespace {

using Lanes = float;
using Bits = std::int32_t;
constexpr int kLanes = 1;

// a * b + c, rounded once: in float64 the product is exact. Only a sum that float64 rounds to a float32's midpoint (one in
// 2^29) can come out different from a fused multiply-add.
inline float multiply_add(float a, float b, float c) {
  return static_cast<float>(static_cast<double>(a) * static_cast<double>(b) + static_cast<double>(c));
}

inline float lesser(float x, float bound) { return bound < x ? bound : x; }  // a nan in x stays
inline float zero_from(float end, float a, float value) { return a < end ? value : 0.0f; }
inline float choose_by_sign(float x, float if_negative, float otherwise) { return x < 0 ? if_negative : otherwise; }
inline float pick(const float* row, std::int32_t piece) { return row[piece & 7]; }

}  // namespace
}  // namespace gradlab

#include "kernels/gelu_lanes.h"

namespace gradlab {
namespace {

constexpr GeluKernels kBaseline{forward, backward};

std::atomic<const GeluKernels*> chosen{nullptr};

const GeluKernels* best() {
  if (const GeluKernels* kernels = gelu_kernels_avx512()) return kernels;
  if (const GeluKernels* kernels = gelu_kernels_avx2()) return kernels;
  return &kBaseline;
}

// Elements from which a second thread pays: about 20 microseconds of work.
constexpr std::int64_t kFloatGrain = 32 * 1024;
constexpr std::int64_t kDoubleGrain = 2 * 1024;
constexpr std::int64_t kScaleGrain = 128 * 1024;

template <class T>
void scale(T* x, double factor, std::int64_t n) {
  const T by = static_cast<T>(factor);
  parallel_for(n, kScaleGrain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) x[i] *= by;
  });
}

}  // namespace

const GeluKernels& gelu_kernels() {
  const GeluKernels* kernels = chosen.load(std::memory_order_relaxed);
  if (kernels == nullptr) chosen.store(kernels = best(), std::memory_order_relaxed);
  return *kernels;
}

bool set_simd_level(SimdLevel level) {
  const GeluKernels* kernels = level == SimdLevel::kBaseline ? &kBaseline
                               : level == SimdLevel::kAvx2   ? gelu_kernels_avx2()
                                                             : gelu_kernels_avx512();
  if (kernels != nullptr) chosen.store(kernels, std::memory_order_relaxed);
  return kernels != nullptr;
}

namespace cpu {

void gelu_forward(const float* x, float* out, std::int64_t n) {
  const GeluKernels& kernels = gelu_kernels();
  parallel_for(n, kFloatGrain, [&](std::int64_t begin, std::int64_t end) {
    kernels.forward(x + begin, out + begin, end - begin);
  });
}

void gelu_forward(const double* x, double* out, std::int64_t n) {
  parallel_for(n, kDoubleGrain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) out[i] = gelu(x[i]);
  });
}

void gelu_backward(const float* grad, std::int64_t grad_stride, const float* x, float* out, std::int64_t n) {
  const GeluKernels& kernels = gelu_kernels();
  parallel_for(n, kFloatGrain, [&](std::int64_t begin, std::int64_t end) {
    kernels.backward(grad + grad_stride * begin, grad_stride, x + begin, out + begin, end - begin);
  });
}

void gelu_backward(const double* grad, std::int64_t grad_stride, const double* x, double* out, std::int64_t n) {
  parallel_for(n, kDoubleGrain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) out[i] = grad[i * grad_stride] * gelu_slope(x[i]);
  });
}

void scale_in_place(float* x, double factor, std::int64_t n) { scale(x, factor, n); }
void scale_in_place(double* x, double factor, std::int64_t n) { scale(x, factor, n); }

}  // namespace cpu
}  // namespace gradlab
