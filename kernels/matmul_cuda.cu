// Matrix product on CUDA: out[m, n] = a[m, k] b[k, n], any strides.
// A block of kTile x kTile threads makes one tile of out, a thread one element of it; tiles of a and b pass through shared
// memory. Sums run over k in order.
#include "kernels/cuda_check.h"
#include "kernels/elementwise_math.h"

namespace gradlab::cuda {
namespace {

constexpr int kTile = 16;

template <class T>
struct Matrix {
  T* data;
  std::int64_t row, column;  // strides
  __device__ T& at(std::int64_t i, std::int64_t j) const { return data[i * row + j * column]; }
};

// Block (x, y): x counts tiles along n, then along m, so that neither is bounded by the grid's second dimension.
template <class T>
__global__ void matmul_kernel(std::int64_t m, std::int64_t k, std::int64_t n, Matrix<T> out, Matrix<const T> a,
                              Matrix<const T> b) {
  __shared__ T tile_a[kTile][kTile + 1], tile_b[kTile][kTile + 1];
  const std::int64_t tiles_n = (n + kTile - 1) / kTile;
  const int x = static_cast<int>(threadIdx.x), y = static_cast<int>(threadIdx.y);
  const std::int64_t i = blockIdx.x / tiles_n * kTile + y, j = blockIdx.x % tiles_n * kTile + x;
  T sum = 0;
  for (std::int64_t k0 = 0; k0 < k; k0 += kTile) {
    tile_a[y][x] = i < m && k0 + x < k ? a.at(i, k0 + x) : T(0);
    tile_b[y][x] = k0 + y < k && j < n ? b.at(k0 + y, j) : T(0);
    __syncthreads();
#pragma unroll
    for (int p = 0; p < kTile; ++p) sum += tile_a[y][p] * tile_b[p][x];
    __syncthreads();
  }
  if (i < m && j < n) out.at(i, j) = sum;
}

template <class T>
void launch(std::int64_t m, std::int64_t k, std::int64_t n, const Operand& out, const ConstOperand& a,
            const ConstOperand& b) {
  const std::int64_t tiles = (m + kTile - 1) / kTile * ((n + kTile - 1) / kTile);
  matmul_kernel<T><<<static_cast<unsigned>(tiles), dim3(kTile, kTile)>>>(
      m, k, n, {static_cast<T*>(out.data), out.strides[0], out.strides[1]},
      {static_cast<const T*>(a.data), a.strides[0], a.strides[1]},
      {static_cast<const T*>(b.data), b.strides[0], b.strides[1]});
  check_launch("matmul_kernel");
}

}  // namespace

void matmul(std::int64_t m, std::int64_t k, std::int64_t n, Operand out, ConstOperand a, ConstOperand b) {
  if (m == 0 || n == 0) return;
  if (out.dtype == DType::kFloat32) return launch<float>(m, k, n, out, a, b);
  if (out.dtype == DType::kFloat64) return launch<double>(m, k, n, out, a, b);
  refuse_dtype("matmul");
}

}  // namespace gradlab::cuda
