// Links in place of *_avx2.cpp and *_avx512.cpp on other processors than x86-64.
#include "kernels/gelu_simd.h"

namespace gradlab {

const GeluKernels* gelu_kernels_avx2() { return nullptr; }
const GeluKernels* gelu_kernels_avx512() { return nullptr; }

}  // namespace gradlab
