// Float32 GELU in AVX2 and FMA.
#include <immintrin.h>

#include <cstdint>

namespace gradlab {
namespace {

typedef float Lanes __attribute__((vector_size(32)));
typedef std::int32_t Bits __attribute__((vector_size(32)));
constexpr int kLanes = 8;

// a * b + c, rounded once.
[[gnu::always_inline]] inline Lanes multiply_add(Lanes a, Lanes b, Lanes c) { return _mm256_fmadd_ps(a, b, c); }

// The smaller one; a nan in x stays.
[[gnu::always_inline]] inline Lanes lesser(Lanes x, float bound) { return _mm256_min_ps(_mm256_set1_ps(bound), x); }

// value where a < end, else 0.
[[gnu::always_inline]] inline Lanes zero_from(float end, Lanes a, Lanes value) {
  return _mm256_and_ps(value, _mm256_cmp_ps(a, _mm256_set1_ps(end), _CMP_LT_OQ));
}

[[gnu::always_inline]] inline Lanes choose_by_sign(Lanes x, Lanes if_negative, Lanes otherwise) {
  return _mm256_blendv_ps(otherwise, if_negative, x);
}

// row[piece] in each lane; the low three bits count.
[[gnu::always_inline]] inline Lanes pick(const float* row, Bits piece) {
  return _mm256_permutevar8x32_ps(_mm256_loadu_ps(row), reinterpret_cast<__m256i>(piece));
}

}  // namespace
}  // namespace gradlab

#include "kernels/gelu_lanes.h"

namespace gradlab {

const GeluKernels* gelu_kernels_avx2() {
  static constexpr GeluKernels kernels{forward, backward};
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? &kernels : nullptr;
}

}  // namespace gradlab
