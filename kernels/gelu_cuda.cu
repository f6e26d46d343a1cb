// GELU forward and backward on CUDA, float32 and float64.
// Shapes: dense arrays of n elements at any alignment; the gradient is dense too, or one value for all elements.
// Bound by memory: 8 bytes an element forward and backward of an expanded gradient, 12 backward of a dense one (float32).
// Each thread has several loads of 16 bytes in flight before it computes, and marks them as not needed again soon. How many,
// and the block size, come from sweeps on an H200 at n = 2^28: bench/RESULTS.md. kMinBlocks allows 64 registers; left to
// itself the compiler makes do with 32 and computes before it has loaded.
#include <cstdint>

#include "kernels/cuda_check.h"
#include "kernels/gelu_math.h"

namespace gradlab::cuda {
namespace {

constexpr int kGeluThreads = 64;
constexpr int kMinBlocks = 16;  // on a multiprocessor
constexpr int kVectors = 4;  // of a thread
constexpr int kSingles = 4;  // of a thread that moves single elements
constexpr std::int64_t kFew = 1 << 16;  // elements: moved singly, by more threads, they are done sooner

// 16 bytes of elements.
template <class T>
struct alignas(16) Vector {
  static constexpr int kLanes = 16 / sizeof(T);
  T lanes[kLanes];
};

// Which of n elements are moved as vectors: those of `whole_blocks` blocks from the first 16-byte border on, which is at
// `head` in every array. The `rest`, before and behind them, is moved singly by the blocks that follow. Of few elements, and
// where the arrays' borders do not fall together, that is all.
struct Span {
  unsigned whole_blocks;
  int head;
  std::int64_t rest;
};

template <class T>
constexpr int kWholeBlock = kGeluThreads * kVectors * Vector<T>::kLanes;
constexpr int kRestBlock = kGeluThreads * kSingles;

template <class T>
__device__ Vector<T> load(const T* data) {
  const uint4 raw = __ldcs(reinterpret_cast<const uint4*>(data));
  Vector<T> vector;
  memcpy(&vector, &raw, sizeof vector);
  return vector;
}

template <class T>
__device__ void store(T* data, const Vector<T>& vector) {
  uint4 raw;
  memcpy(&raw, &vector, sizeof raw);
  __stcs(reinterpret_cast<uint4*>(data), raw);
}

// map() for a block of vectors. The first of this thread's is at `first`.
template <bool dense_grad, class T, class Op>
__device__ void map_vectors(const T* x, const T* grad, T one_grad, T* out, std::int64_t first, const Op& op) {
  constexpr int kLanes = Vector<T>::kLanes, kStep = kGeluThreads * kLanes;
  Vector<T> xs[kVectors], grads[kVectors];
#pragma unroll
  for (int v = 0; v < kVectors; ++v) {
    xs[v] = load(x + first + v * kStep);
    if (dense_grad) grads[v] = load(grad + first + v * kStep);
  }
#pragma unroll
  for (int v = 0; v < kVectors; ++v) {
#pragma unroll
    for (int l = 0; l < kLanes; ++l) xs[v].lanes[l] = op(xs[v].lanes[l], dense_grad ? grads[v].lanes[l] : one_grad);
    store(out + first + v * kStep, xs[v]);
  }
}

// map() for a block of the rest. This thread's elements are the first-th of the rest and every kGeluThreads-th after it.
template <bool dense_grad, class T, class Op>
__device__ void map_rest(const T* x, const T* grad, T one_grad, T* out, Span span, std::int64_t first, const Op& op) {
  std::int64_t at[kSingles];
  T xs[kSingles], grads[kSingles];
#pragma unroll
  for (int k = 0; k < kSingles; ++k) {
    const std::int64_t i = first + k * kGeluThreads;
    if (i >= span.rest) break;
    at[k] = i < span.head ? i : i + static_cast<std::int64_t>(span.whole_blocks) * kWholeBlock<T>;
    xs[k] = x[at[k]];
    if (dense_grad) grads[k] = grad[at[k]];
  }
#pragma unroll
  for (int k = 0; k < kSingles; ++k) {
    if (first + k * kGeluThreads < span.rest) out[at[k]] = op(xs[k], dense_grad ? grads[k] : one_grad);
  }
}

// out[i] = op(x[i], grad[i]) for all i; without dense_grad, op(x[i], one_grad).
template <bool dense_grad, class T, class Op>
__device__ void map(const T* x, const T* grad, T one_grad, T* out, Span span, const Op& op) {
  if (blockIdx.x < span.whole_blocks) {
    const std::int64_t vector = static_cast<std::int64_t>(blockIdx.x) * (kGeluThreads * kVectors) + threadIdx.x;
    map_vectors<dense_grad>(x, grad, one_grad, out, span.head + vector * Vector<T>::kLanes, op);
  } else {
    const std::int64_t block = blockIdx.x - span.whole_blocks;
    map_rest<dense_grad>(x, grad, one_grad, out, span, block * kRestBlock + threadIdx.x, op);
  }
}

template <class T>
__global__ void __launch_bounds__(kGeluThreads, kMinBlocks) gelu_forward_kernel(const T* x, T* out, Span span) {
  map<false>(x, static_cast<const T*>(nullptr), T(0), out, span, [](T value, T) { return gelu(value); });
}

template <bool dense_grad, class T>
__global__ void __launch_bounds__(kGeluThreads, kMinBlocks)
    gelu_backward_kernel(const T* grad, const T* x, T* out, Span span) {
  map<dense_grad>(x, grad, dense_grad ? T(0) : grad[0], out, span,
                  [](T value, T gradient) { return gradient * gelu_slope(value); });
}

template <class T>
__global__ void __launch_bounds__(kThreads) scale_kernel(T* x, T factor, std::int64_t n) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (i < n) x[i] *= factor;
}

int misalignment(const void* data) { return static_cast<int>(reinterpret_cast<std::uintptr_t>(data) % 16); }

// grad may be null.
template <class T>
Span span_of(const T* grad, const T* x, const T* out, std::int64_t n) {
  const int offset = misalignment(x);
  const std::int64_t head = (16 - offset) % 16 / static_cast<int>(sizeof(T));
  const bool together = misalignment(out) == offset && (grad == nullptr || misalignment(grad) == offset);
  if (!together || n < kFew) return {0, 0, n};
  const std::int64_t blocks = (n - head) / kWholeBlock<T>;
  return {static_cast<unsigned>(blocks), static_cast<int>(head), n - blocks * kWholeBlock<T>};
}

unsigned blocks_for(Span span) { return span.whole_blocks + block_count(span.rest, kRestBlock); }

template <class T>
void launch_forward(const T* x, T* out, std::int64_t n) {
  if (n == 0) return;
  const Span span = span_of<T>(nullptr, x, out, n);
  gelu_forward_kernel<<<blocks_for(span), kGeluThreads>>>(x, out, span);
  check_launch("gelu_forward_kernel");
}

template <class T>
void launch_backward(const T* grad, std::int64_t grad_stride, const T* x, T* out, std::int64_t n) {
  if (n == 0) return;
  const Span span = span_of(grad_stride == 0 ? nullptr : grad, x, out, n);
  if (grad_stride == 0) {
    gelu_backward_kernel<false><<<blocks_for(span), kGeluThreads>>>(grad, x, out, span);
  } else {
    gelu_backward_kernel<true><<<blocks_for(span), kGeluThreads>>>(grad, x, out, span);
  }
  check_launch("gelu_backward_kernel");
}

template <class T>
void launch_scale(T* x, double factor, std::int64_t n) {
  if (n == 0) return;
  scale_kernel<<<block_count(n, kThreads), kThreads>>>(x, static_cast<T>(factor), n);
  check_launch("scale_kernel");
}

}  // namespace

void gelu_forward(const float* x, float* out, std::int64_t n) { launch_forward(x, out, n); }
void gelu_forward(const double* x, double* out, std::int64_t n) { launch_forward(x, out, n); }

void gelu_backward(const float* grad, std::int64_t grad_stride, const float* x, float* out, std::int64_t n) {
  launch_backward(grad, grad_stride, x, out, n);
}

void gelu_backward(const double* grad, std::int64_t grad_stride, const double* x, double* out, std::int64_t n) {
  launch_backward(grad, grad_stride, x, out, n);
}

void scale_in_place(float* x, double factor, std::int64_t n) { launch_scale(x, factor, n); }
void scale_in_place(double* x, double factor, std::int64_t n) { launch_scale(x, factor, n); }

}  // namespace gradlab::cuda
