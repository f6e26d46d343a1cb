// Float32 GELU in AVX-512.
#include <immintrin.h>

#include <cstdint>

namespace gradlab {
namespace {

typedef float Lanes __attribute__((vector_size(64)));
typedef std::int32_t Bits __attribute__((vector_size(64)));
constexpr int kLanes = 16;

constexpr __mmask16 kAll = 0xffff;  // GCC 12 warns of the forms without a mask (its bug 105593)

// a * b + c, rounded once.
[[gnu::always_inline]] inline Lanes multiply_add(Lanes a, Lanes b, Lanes c) { return _mm512_fmadd_ps(a, b, c); }

// The smaller one; a nan in x stays.
[[gnu::always_inline]] inline Lanes lesser(Lanes x, float bound) {
  return _mm512_maskz_min_ps(kAll, _mm512_set1_ps(bound), x);
}

// value where a < end, else 0.
[[gnu::always_inline]] inline Lanes zero_from(float end, Lanes a, Lanes value) {
  return _mm512_maskz_mov_ps(_mm512_cmp_ps_mask(a, _mm512_set1_ps(end), _CMP_LT_OQ), value);
}

[[gnu::always_inline]] inline Lanes choose_by_sign(Lanes x, Lanes if_negative, Lanes otherwise) {
  return _mm512_mask_mov_ps(otherwise, _mm512_movepi32_mask(reinterpret_cast<__m512i>(x)), if_negative);
}

// row[piece] in each lane; the low four bits count, so the row of eight stands there twice.
[[gnu::always_inline]] inline Lanes pick(const float* row, Bits piece) {
  const __m512 twice = _mm512_maskz_broadcast_f32x8(kAll, _mm256_loadu_ps(row));
  return _mm512_maskz_permutexvar_ps(kAll, reinterpret_cast<__m512i>(piece), twice);
}

}  // namespace
}  // namespace gradlab

#include "kernels/gelu_lanes.h"

namespace gradlab {

const GeluKernels* gelu_kernels_avx512() {
  static constexpr GeluKernels kernels{forward, backward};
  const bool usable = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw") &&
                      __builtin_cpu_supports("fma");
  return usable ? &kernels : nullptr;
}

}  // namespace gradlab
