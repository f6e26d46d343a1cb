// GELU forward and backward on CUDA, float32 and float64.
// Shapes: dense arrays of n elements at any alignment; the gradient is dense too, or one value for all elements.
// Bound by memory: 8 bytes an element forward and backward of an expanded gradient, 12 backward of a dense one (float32).
// Each thread has several loads of 16 bytes in flight before it computes, and marks them as not needed again soon. How many,
// and the block size, come from a sweep on an H200 at n = 2^28: bench/RESULTS.md.
#include <cstdint>

#include "kernels/cuda_check.h"
#include "kernels/gelu_math.h"

namespace gradlab::cuda {
namespace {

constexpr int kGeluThreads = 128;
constexpr int kVectors = 2;
constexpr int kVectorsWithOneGrad = 4;

// 16 bytes of elements.
template <class T>
struct alignas(16) Vector {
  static constexpr int kLanes = 16 / sizeof(T);
  T lanes[kLanes];
};

// Where the whole vectors lie in n elements. `head` elements come before the first 16-byte border of every array; where the
// arrays' borders do not fall together, head is 0 and vectors are moved an element at a time.
struct Span {
  std::int64_t n;
  int head;
  bool aligned;
};

template <class T>
__device__ Vector<T> load(const T* data, bool aligned) {
  Vector<T> vector;
  if (aligned) {
    const uint4 raw = __ldcs(reinterpret_cast<const uint4*>(data));
    memcpy(&vector, &raw, sizeof vector);
  } else {
#pragma unroll
    for (int l = 0; l < Vector<T>::kLanes; ++l) vector.lanes[l] = data[l];
  }
  return vector;
}

template <class T>
__device__ void store(T* data, const Vector<T>& vector, bool aligned) {
  if (aligned) {
    uint4 raw;
    memcpy(&raw, &vector, sizeof raw);
    __stcs(reinterpret_cast<uint4*>(data), raw);
  } else {
#pragma unroll
    for (int l = 0; l < Vector<T>::kLanes; ++l) data[l] = vector.lanes[l];
  }
}

// out[i] = op(x[i], grad[i]) for i < n; without dense_grad, op(x[i], one_grad).
template <bool dense_grad, int vectors, class T, class Op>
__device__ void map(const T* x, const T* grad, T one_grad, T* out, Span span, const Op& op) {
  constexpr int kLanes = Vector<T>::kLanes;
  const std::int64_t body = (span.n - span.head) / kLanes;  // vectors
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * (kGeluThreads * vectors) + threadIdx.x;
  Vector<T> xs[vectors], grads[vectors];
#pragma unroll
  for (int v = 0; v < vectors; ++v) {
    const std::int64_t i = first + v * kGeluThreads;
    if (i >= body) continue;
    xs[v] = load(x + span.head + i * kLanes, span.aligned);
    if (dense_grad) grads[v] = load(grad + span.head + i * kLanes, span.aligned);
  }
#pragma unroll
  for (int v = 0; v < vectors; ++v) {
    const std::int64_t i = first + v * kGeluThreads;
    if (i >= body) continue;
#pragma unroll
    for (int l = 0; l < kLanes; ++l) xs[v].lanes[l] = op(xs[v].lanes[l], dense_grad ? grads[v].lanes[l] : one_grad);
    store(out + span.head + i * kLanes, xs[v], span.aligned);
  }
  // What is left before and after the vectors, a thread each.
  const int left = static_cast<int>(span.n - body * kLanes);
  if (blockIdx.x != 0 || static_cast<int>(threadIdx.x) >= left) return;
  const std::int64_t i = static_cast<int>(threadIdx.x) < span.head ? threadIdx.x : body * kLanes + threadIdx.x;
  out[i] = op(x[i], dense_grad ? grad[i] : one_grad);
}

template <class T>
__global__ void __launch_bounds__(kGeluThreads) gelu_forward_kernel(const T* x, T* out, Span span) {
  map<false, kVectors>(x, static_cast<const T*>(nullptr), T(0), out, span, [](T value, T) { return gelu(value); });
}

template <bool dense_grad, class T>
__global__ void __launch_bounds__(kGeluThreads) gelu_backward_kernel(const T* grad, const T* x, T* out, Span span) {
  map<dense_grad, dense_grad ? kVectors : kVectorsWithOneGrad>(
      x, grad, dense_grad ? T(0) : grad[0], out, span, [](T value, T gradient) { return gradient * gelu_slope(value); });
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
  if (misalignment(out) != offset || (grad != nullptr && misalignment(grad) != offset)) return {n, 0, false};
  const int head = (16 - offset) % 16 / static_cast<int>(sizeof(T));
  return {n, head < n ? head : static_cast<int>(n), true};
}

template <class T>
unsigned blocks_for(std::int64_t n, int vectors) {
  return block_count(n, std::int64_t{kGeluThreads} * vectors * Vector<T>::kLanes);
}

template <class T>
void launch_forward(const T* x, T* out, std::int64_t n) {
  if (n == 0) return;
  gelu_forward_kernel<<<blocks_for<T>(n, kVectors), kGeluThreads>>>(x, out, span_of<T>(nullptr, x, out, n));
  check_launch("gelu_forward_kernel");
}

template <class T>
void launch_backward(const T* grad, std::int64_t grad_stride, const T* x, T* out, std::int64_t n) {
  if (n == 0) return;
  if (grad_stride == 0) {
    gelu_backward_kernel<false>
        <<<blocks_for<T>(n, kVectorsWithOneGrad), kGeluThreads>>>(grad, x, out, span_of<T>(nullptr, x, out, n));
  } else {
    gelu_backward_kernel<true><<<blocks_for<T>(n, kVectors), kGeluThreads>>>(grad, x, out, span_of<T>(grad, x, out, n));
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
