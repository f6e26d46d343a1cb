// Matrix product on the CPU: rows of out in parallel; inside, blocks of b stay in cache and the innermost loop runs along a
// row of a dense copy of the block. Sums run over k in order, in float64 for float32.
#include "kernels/matmul.h"

#include <algorithm>
#include <vector>

#include "kernels/backends.h"
#include "kernels/elementwise_math.h"
#include "kernels/parallel.h"

namespace gradlab::cpu {
namespace {

constexpr std::int64_t kBlockK = 64;
constexpr std::int64_t kBlockN = 128;
constexpr std::int64_t kWorkPerThread = 64 * 1024;  // multiplications

template <class T>
struct Matrix {
  T* data;
  std::int64_t row, column;  // strides
  T& operator()(std::int64_t i, std::int64_t j) const { return data[i * row + j * column]; }
};

// Rows [begin, end) of out.
template <class T>
void multiply_rows(std::int64_t begin, std::int64_t end, std::int64_t k, std::int64_t n, Matrix<T> out, Matrix<const T> a,
                   Matrix<const T> b) {
  T block[kBlockK * kBlockN];
  std::vector<double> sums(static_cast<std::size_t>((end - begin) * std::min(n, kBlockN)));
  for (std::int64_t n0 = 0; n0 < n; n0 += kBlockN) {
    const std::int64_t width = std::min(kBlockN, n - n0);
    std::fill(sums.begin(), sums.end(), 0.0);
    for (std::int64_t k0 = 0; k0 < k; k0 += kBlockK) {
      const std::int64_t depth = std::min(kBlockK, k - k0);
      for (std::int64_t p = 0; p < depth; ++p) {
        for (std::int64_t j = 0; j < width; ++j) block[p * kBlockN + j] = b(k0 + p, n0 + j);
      }
      for (std::int64_t i = begin; i < end; ++i) {
        double* sum = sums.data() + (i - begin) * width;
        for (std::int64_t p = 0; p < depth; ++p) {
          const double factor = a(i, k0 + p);
          const T* row = block + p * kBlockN;
          for (std::int64_t j = 0; j < width; ++j) sum[j] += factor * static_cast<double>(row[j]);
        }
      }
    }
    for (std::int64_t i = begin; i < end; ++i) {
      for (std::int64_t j = 0; j < width; ++j) {
        out(i, n0 + j) = static_cast<T>(sums[static_cast<std::size_t>((i - begin) * width + j)]);
      }
    }
  }
}

template <class T>
void multiply(std::int64_t m, std::int64_t k, std::int64_t n, Operand out, ConstOperand a, ConstOperand b) {
  const std::int64_t row_work = std::max<std::int64_t>(1, k * n);
  const std::int64_t grain = std::max<std::int64_t>(1, kWorkPerThread / row_work);
  const Matrix<T> to{static_cast<T*>(out.data), out.strides[0], out.strides[1]};
  const Matrix<const T> left{static_cast<const T*>(a.data), a.strides[0], a.strides[1]};
  const Matrix<const T> right{static_cast<const T*>(b.data), b.strides[0], b.strides[1]};
  parallel_for(m, grain, [&](std::int64_t begin, std::int64_t end) {
    constexpr std::int64_t kRows = 64;  // bounds the sums kept
    for (std::int64_t i = begin; i < end; i += kRows) multiply_rows(i, std::min(i + kRows, end), k, n, to, left, right);
  });
}

}  // namespace

void matmul(std::int64_t m, std::int64_t k, std::int64_t n, Operand out, ConstOperand a, ConstOperand b) {
  if (m == 0 || n == 0) return;
  if (out.dtype == DType::kFloat32) return multiply<float>(m, k, n, out, a, b);
  if (out.dtype == DType::kFloat64) return multiply<double>(m, k, n, out, a, b);
  refuse_dtype("matmul");
}

}  // namespace gradlab::cpu
