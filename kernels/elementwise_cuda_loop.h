// Internal to elementwise_cuda.cu: how a thread reads and writes its kCount elements of a strided loop.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>

#include "kernels/cuda_check.h"
#include "kernels/elementwise_math.h"
#include "kernels/iteration.h"

namespace gradlab::cuda {
namespace {

constexpr int kCount = 4;  // elements of a thread

// An input: data in device memory, or one value for all elements.
template <class T>
struct Input {
  const T* data;
  T value;
};

template <class T>
Input<T> input(const ConstOperand& operand) {
  return {static_cast<const T*>(operand.data), T()};
}

template <class T>
Input<T> input(double scalar) {
  return {nullptr, rounded_to<T>(scalar)};
}

enum class Access : std::uint8_t { kDense, kConstant, kStrided };

// The loop as the device sees it.
struct Loop {
  Iteration loop;
  Access access[kMaxOperands];
  bool vectors;  // no operand is strided, and the dense ones begin where a Pack may
};

// A thread's elements, side by side.
template <class T>
struct alignas(sizeof(T) * kCount < 16 ? sizeof(T) * kCount : 16) Pack {
  T elements[kCount];
};

// The offset of element i for an operand. A call, so that its divisions are compiled once.
__device__ __noinline__ std::int64_t offset_of(const Loop& loop, int operand, std::int64_t i) {
  std::int64_t sum = 0;
  for (int d = loop.loop.rank - 1; d > 0; --d) {
    const std::int64_t size = loop.loop.sizes[d];
    std::int64_t quotient;
    if (i <= INT32_MAX && size <= INT32_MAX) {
      quotient = static_cast<std::uint32_t>(i) / static_cast<std::uint32_t>(size);
    } else {
      quotient = i / size;
    }
    sum += (i - quotient * size) * loop.loop.strides[operand][d];
    i = quotient;
  }
  return sum + i * loop.loop.strides[operand][0];
}

__device__ std::int64_t thread_number() { return static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x; }

// A thread's k-th element: the next one where it moves packs, else far enough away that neighbours stay together.
__device__ std::int64_t element(const Loop& loop, int k) {
  if (loop.vectors) return thread_number() * kCount + k;
  return (static_cast<std::int64_t>(blockIdx.x) * kCount + k) * kThreads + threadIdx.x;
}

__device__ bool moves_pack(const Loop& loop) {
  return loop.vectors && (thread_number() + 1) * kCount <= loop.loop.count;
}

template <class T>
__device__ void load(const Loop& loop, int operand, const Input<T>& in, T (&values)[kCount]) {
  if (in.data == nullptr || loop.access[operand] == Access::kConstant) {
    const T value = in.data == nullptr ? in.value : *in.data;
#pragma unroll
    for (T& v : values) v = value;
    return;
  }
  if (moves_pack(loop)) {
    const Pack<T> pack = reinterpret_cast<const Pack<T>*>(in.data)[thread_number()];
#pragma unroll
    for (int k = 0; k < kCount; ++k) values[k] = pack.elements[k];
    return;
  }
#pragma unroll
  for (int k = 0; k < kCount; ++k) {
    const std::int64_t i = element(loop, k);
    values[k] = T();
    if (i < loop.loop.count) values[k] = in.data[loop.access[operand] == Access::kDense ? i : offset_of(loop, operand, i)];
  }
}

template <class R, class T>
__device__ void store(const Loop& loop, R* out, const T (&values)[kCount]) {
  if (moves_pack(loop)) {
    Pack<R> pack;
#pragma unroll
    for (int k = 0; k < kCount; ++k) pack.elements[k] = static_cast<R>(values[k]);
    reinterpret_cast<Pack<R>*>(out)[thread_number()] = pack;
    return;
  }
#pragma unroll
  for (int k = 0; k < kCount; ++k) {
    const std::int64_t i = element(loop, k);
    if (i < loop.loop.count) out[loop.access[0] == Access::kDense ? i : offset_of(loop, 0, i)] = static_cast<R>(values[k]);
  }
}

ConstOperand as_input(const Operand& out) { return {out.data, out.dtype, out.strides}; }

// operands: the output, then the inputs.
Loop loop_over(Extent extent, std::initializer_list<ConstOperand> operands) {
  const int count = static_cast<int>(operands.size());
  const std::int64_t* strides[kMaxOperands] = {};
  for (int o = 0; o < count; ++o) strides[o] = operands.begin()[o].strides;
  Loop loop{collapse(extent, strides, count), {}, true};
  for (int o = 0; o < count; ++o) {
    const ConstOperand& operand = operands.begin()[o];
    loop.access[o] = loop.loop.is_dense(o)                ? Access::kDense
                     : o > 0 && loop.loop.is_constant(o) ? Access::kConstant
                                                          : Access::kStrided;
    const std::size_t border = std::min<std::size_t>(16, size_bytes(operand.dtype) * kCount);
    const bool at_border = reinterpret_cast<std::uintptr_t>(operand.data) % border == 0;
    if (loop.access[o] == Access::kStrided || (loop.access[o] == Access::kDense && !at_border)) loop.vectors = false;
  }
  return loop;
}

unsigned blocks_for(const Loop& loop) { return block_count(loop.loop.count, std::int64_t{kThreads} * kCount); }

}  // namespace
}  // namespace gradlab::cuda
