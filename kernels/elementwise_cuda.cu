// Elementwise kernels on CUDA.
// Shapes: up to three inputs and one output over one loop of up to kMaxRank dimensions (iteration.h). The op is a run-time
// value, the same for all threads: one kernel per element type serves every op. Each thread takes kCount elements and loads
// all of them before it computes: 16 bytes at a time where every operand is dense or a constant, else single elements of a
// tile, so that neighbouring threads touch neighbouring elements of every operand (elementwise_cuda_loop.h).
#include <cstdint>
#include <type_traits>
#include <utility>

#include "kernels/elementwise_cuda_loop.h"

namespace gradlab::cuda {
namespace {

// Ops of many instructions: compiled once and not once for each of a thread's elements.
GRADLAB_HOST_DEVICE constexpr bool is_long(UnaryOp op) { return op >= UnaryOp::kExp && op <= UnaryOp::kGelu; }
GRADLAB_HOST_DEVICE constexpr bool is_long(BinaryOp op) {
  return op == BinaryOp::kPow || op == BinaryOp::kGeluBackward;
}

// Moves the first value behind the last.
template <class T>
__device__ void rotate(T (&values)[kCount], T last) {
#pragma unroll
  for (int k = 1; k < kCount; ++k) values[k - 1] = values[k];
  values[kCount - 1] = last;
}

// Whether `which` is op; then it has been applied.
template <UnaryOp op, class T>
__device__ bool apply_if(UnaryOp which, T (&a)[kCount]) {
  if constexpr (unary_takes<op, T>()) {
    if (which != op) return false;
    if constexpr (is_long(op)) {
#pragma unroll 1
      for (int k = 0; k < kCount; ++k) rotate(a, apply<op>(a[0]));
    } else {
#pragma unroll
      for (T& value : a) value = apply<op>(value);
    }
    return true;
  }
  return false;
}

template <BinaryOp op, class T>
__device__ bool apply_if(BinaryOp which, T (&a)[kCount], T (&b)[kCount]) {
  if constexpr (binary_takes<op, T>()) {
    if (which != op) return false;
    if constexpr (is_long(op)) {
#pragma unroll 1
      for (int k = 0; k < kCount; ++k) {
        rotate(a, static_cast<T>(apply<op>(a[0], b[0])));
        rotate(b, b[0]);
      }
    } else {
#pragma unroll
      for (int k = 0; k < kCount; ++k) a[k] = static_cast<T>(apply<op>(a[k], b[k]));
    }
    return true;
  }
  return false;
}

template <class T, int... ops>
__device__ void apply_any(std::integer_sequence<int, ops...>, UnaryOp op, T (&a)[kCount]) {
  static_cast<void>((apply_if<static_cast<UnaryOp>(ops)>(op, a) || ...));
}

template <class T, int... ops>
__device__ void apply_any(std::integer_sequence<int, ops...>, BinaryOp op, T (&a)[kCount], T (&b)[kCount]) {
  static_cast<void>((apply_if<static_cast<BinaryOp>(ops)>(op, a, b) || ...));
}

template <class T>
__global__ void __launch_bounds__(kThreads)
    unary_kernel(UnaryOp op, const __grid_constant__ Loop loop, T* out, Input<T> in) {
  T a[kCount];
  load(loop, 1, in, a);
  exchange(loop, 1, a);
  apply_any(std::make_integer_sequence<int, kUnaryOps>(), op, a);
  store(loop, out, a);
}

// A comparison leaves 0 or 1 in T, which store turns into bool.
template <class T>
__global__ void __launch_bounds__(kThreads)
    binary_kernel(BinaryOp op, const __grid_constant__ Loop loop, void* out, Input<T> in_a, Input<T> in_b) {
  T a[kCount], b[kCount];
  load(loop, 1, in_a, a);
  load(loop, 2, in_b, b);
  exchange(loop, 1, a);
  exchange(loop, 2, b);
  apply_any(std::make_integer_sequence<int, kBinaryOps>(), op, a, b);
  if (is_comparison(op)) {
    store(loop, static_cast<bool*>(out), a);
  } else {
    store(loop, static_cast<T*>(out), a);
  }
}

template <class T>
__global__ void __launch_bounds__(kThreads)
    where_kernel(const __grid_constant__ Loop loop, T* out, Input<bool> condition, Input<T> in_a, Input<T> in_b) {
  bool choose[kCount];
  T a[kCount], b[kCount];
  load(loop, 1, condition, choose);
  load(loop, 2, in_a, a);
  load(loop, 3, in_b, b);
  exchange(loop, 1, choose);
  exchange(loop, 2, a);
  exchange(loop, 3, b);
#pragma unroll
  for (int k = 0; k < kCount; ++k) a[k] = choose[k] ? a[k] : b[k];
  store(loop, out, a);
}

template <class T>
__global__ void __launch_bounds__(kThreads)
    clamp_kernel(const __grid_constant__ Loop loop, T* out, Input<T> in, T low, T high) {
  T a[kCount];
  load(loop, 1, in, a);
  exchange(loop, 1, a);
#pragma unroll
  for (int k = 0; k < kCount; ++k) a[k] = clamp_to(a[k], low, high);
  store(loop, out, a);
}

template <class To, class From>
__device__ void store_converted(const Loop& loop, void* out, const From (&a)[kCount]) {
  To values[kCount];
#pragma unroll
  for (int k = 0; k < kCount; ++k) values[k] = converted<To>(a[k]);
  store(loop, static_cast<To*>(out), values);
}

template <class From>
__global__ void __launch_bounds__(kThreads)
    convert_kernel(const __grid_constant__ Loop loop, DType to, void* out, Input<From> in) {
  From a[kCount];
  load(loop, 1, in, a);
  exchange(loop, 1, a);
  switch (to) {
    case DType::kFloat32: return store_converted<float>(loop, out, a);
    case DType::kFloat64: return store_converted<double>(loop, out, a);
    case DType::kInt32: return store_converted<std::int32_t>(loop, out, a);
    case DType::kInt64: return store_converted<std::int64_t>(loop, out, a);
    case DType::kBool: return store_converted<bool>(loop, out, a);
  }
}

// Dense elements. A launch costs by the size of what is handed over, and a backward begins by filling one element: no Loop.
template <class T>
__global__ void __launch_bounds__(kThreads) fill_kernel(T* out, T value, std::int64_t n) {
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * kTile + threadIdx.x;
#pragma unroll
  for (int k = 0; k < kCount; ++k) {
    if (first + k * kThreads < n) out[first + k * kThreads] = value;
  }
}

template <class T>
T* elements(const Operand& operand) {
  return static_cast<T*>(operand.data);
}

// Calls f(type, loop) with the Type of `dtype` and each part of the loop, and checks the launch in it. operands: the output,
// then the inputs.
template <class F>
void launch(const char* kernel, Extent extent, DType dtype, std::initializer_list<ConstOperand> operands, const F& f) {
  if (element_count(extent) == 0) return;
  with_dtype(dtype, [&](auto type) {
    const auto launch_part = [&](const Loop& loop) {
      f(type, loop);
      check_launch(kernel);
    };
    for_each_part(extent, operands, std::ref(launch_part));
  });
}

template <class T>
bool gelu_if_dense(const Loop& loop, T* out, const T* in) {
  if constexpr (std::is_floating_point_v<T>) {
    if (loop.operands[0].access != Access::kDense || loop.operands[1].access != Access::kDense) return false;
    gelu_forward(in + loop.operands[1].begin, out + loop.operands[0].begin, loop.columns);
    return true;
  }
  return false;
}

template <class T>
bool gelu_backward_if_dense(const Loop& loop, T* out, const T* grad, const T* x) {
  if constexpr (std::is_floating_point_v<T>) {
    const auto& [to, gradient, from, unused] = loop.operands;
    if (to.access != Access::kDense || from.access != Access::kDense || gradient.access > Access::kConstant) return false;
    gelu_backward(grad + gradient.begin, gradient.access == Access::kConstant ? 0 : 1, x + from.begin, out + to.begin,
                  loop.columns);
    return true;
  }
  return false;
}

}  // namespace

void unary(UnaryOp op, Extent extent, Operand out, ConstOperand in) {
  launch("unary_kernel", extent, in.dtype, {as_input(out), in}, [&](auto type, const Loop& loop) {
    using T = typename decltype(type)::type;
    if (op == UnaryOp::kGelu && gelu_if_dense(loop, elements<T>(out), static_cast<const T*>(in.data))) return;
    unary_kernel<<<blocks_for(loop), kThreads>>>(op, loop, elements<T>(out), input<T>(in));
  });
}

void binary(BinaryOp op, Extent extent, Operand out, ConstOperand a, ConstOperand b) {
  launch("binary_kernel", extent, a.dtype, {as_input(out), a, b}, [&](auto type, const Loop& loop) {
    using T = typename decltype(type)::type;
    const T *first = static_cast<const T*>(a.data), *second = static_cast<const T*>(b.data);
    if (op == BinaryOp::kGeluBackward && gelu_backward_if_dense(loop, elements<T>(out), first, second)) return;
    binary_kernel<<<blocks_for(loop), kThreads>>>(op, loop, out.data, input<T>(a), input<T>(b));
  });
}

void binary_scalar(BinaryOp op, Extent extent, Operand out, ConstOperand a, double scalar) {
  launch("binary_kernel", extent, a.dtype, {as_input(out), a}, [&](auto type, const Loop& loop) {
    using T = typename decltype(type)::type;
    binary_kernel<<<blocks_for(loop), kThreads>>>(op, loop, out.data, input<T>(a), input<T>(scalar));
  });
}

void scalar_binary(BinaryOp op, Extent extent, Operand out, double scalar, ConstOperand b) {
  launch("binary_kernel", extent, b.dtype, {as_input(out), b, b}, [&](auto type, const Loop& loop) {
    using T = typename decltype(type)::type;
    binary_kernel<<<blocks_for(loop), kThreads>>>(op, loop, out.data, input<T>(scalar), input<T>(b));
  });
}

void where(Extent extent, Operand out, ConstOperand condition, ConstOperand a, ConstOperand b) {
  // Values are only moved: their size is all that matters.
  const DType moved = size_bytes(out.dtype) == 4 ? DType::kInt32 : size_bytes(out.dtype) == 8 ? DType::kInt64 : DType::kBool;
  launch("where_kernel", extent, moved, {as_input(out), condition, a, b}, [&](auto type, const Loop& loop) {
    using Moved = typename decltype(type)::type;
    using T = std::conditional_t<sizeof(Moved) == 4, std::int32_t, std::conditional_t<sizeof(Moved) == 8, std::int64_t, bool>>;
    where_kernel<<<blocks_for(loop), kThreads>>>(loop, elements<T>(out), input<bool>(condition), input<T>(a), input<T>(b));
  });
}

void clamp(Extent extent, Operand out, ConstOperand in, double low, double high) {
  launch("clamp_kernel", extent, in.dtype, {as_input(out), in}, [&](auto type, const Loop& loop) {
    using T = typename decltype(type)::type;
    clamp_kernel<<<blocks_for(loop), kThreads>>>(loop, elements<T>(out), input<T>(in), rounded_to<T>(low),
                                                 rounded_to<T>(high));
  });
}

void fill(Extent extent, Operand out, double value) {
  if (const Iteration loop = collapse(extent, &out.strides, 1); loop.count > 0 && loop.is_dense(0)) {
    with_dtype(out.dtype, [&](auto type) {
      using T = typename decltype(type)::type;
      fill_kernel<<<block_count(loop.count, kTile), kThreads>>>(elements<T>(out), rounded_to<T>(value), loop.count);
    });
    return check_launch("fill_kernel");
  }
  launch("unary_kernel", extent, out.dtype, {as_input(out)}, [&](auto type, const Loop& loop) {
    using T = typename decltype(type)::type;
    unary_kernel<<<blocks_for(loop), kThreads>>>(UnaryOp::kCopy, loop, elements<T>(out), input<T>(value));
  });
}

void convert(Extent extent, Operand out, ConstOperand in) {
  launch("convert_kernel", extent, in.dtype, {as_input(out), in}, [&](auto type, const Loop& loop) {
    using T = typename decltype(type)::type;
    convert_kernel<<<blocks_for(loop), kThreads>>>(loop, out.dtype, out.data, input<T>(in));
  });
}

}  // namespace gradlab::cuda
