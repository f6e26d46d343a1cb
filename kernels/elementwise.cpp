// The public elementwise functions: one element and dense operands go straight to a dense kernel; for others the CPU gathers
// strided operands block by block into buffers and scatters what comes out.
#include "kernels/elementwise.h"

#include <algorithm>
#include <cstddef>
#include <stdexcept>

#include "kernels/backends.h"
#include "kernels/elementwise_dense.h"
#include "kernels/elementwise_math.h"
#include "kernels/iteration.h"
#include "kernels/parallel.h"

namespace gradlab {
namespace {

constexpr std::int64_t kBlock = 512;       // elements gathered at a time; buffers of 4 KiB stay in the first cache
constexpr int kGrainCost = 16 * 20'000;    // a thread is worth 20 microseconds

// One call on the CPU: operand 0 is the output.
struct Call {
  cpu::DenseOp op;
  int operands;
  char* data[kMaxOperands];
  std::size_t element_bytes[kMaxOperands];
};

std::int64_t bytes_of(const Call& call, int operand) { return static_cast<std::int64_t>(call.element_bytes[operand]); }

char* bytes(const void* data) { return static_cast<char*>(const_cast<void*>(data)); }

template <class T>
void copy_run(T* to, std::int64_t to_stride, const T* from, std::int64_t from_stride, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) to[i * to_stride] = from[i * from_stride];
}

void copy_run(std::size_t element_bytes, char* to, std::int64_t to_stride, const char* from, std::int64_t from_stride,
              std::int64_t n) {
  const auto copy = [&](auto type) {
    using T = typename decltype(type)::type;
    copy_run(reinterpret_cast<T*>(to), to_stride, reinterpret_cast<const T*>(from), from_stride, n);
  };
  if (element_bytes == 1) return copy(Type<std::uint8_t>{});
  if (element_bytes == 4) return copy(Type<std::uint32_t>{});
  copy(Type<std::uint64_t>{});
}

enum class Access { kDense, kConstant, kGathered };

// Elements [begin, end) of the loop in blocks. One cursor walks all operands; the gathered ones are copied run by run.
void run_blocks(const Call& call, const Iteration& loop, const Access* access, std::int64_t begin, std::int64_t end) {
  alignas(64) char buffers[kMaxOperands][kBlock * 8];
  char* at[kMaxOperands] = {};
  for (int o = 1; o < call.operands; ++o) {
    if (access[o] == Access::kConstant) {
      copy_run(call.element_bytes[o], buffers[o], 1, call.data[o], 0, std::min(kBlock, end - begin));
    }
  }
  Cursor gather(loop, call.operands, begin), scatter = gather;
  for (std::int64_t first = begin; first < end; first += kBlock) {
    const std::int64_t count = std::min(kBlock, end - first);
    for (int o = 0; o < call.operands; ++o) {
      at[o] = access[o] == Access::kDense ? call.data[o] + first * bytes_of(call, o) : buffers[o];
    }
    for (std::int64_t done = 0, run; done < count; done += run) {
      run = std::min(gather.run(), count - done);
      for (int o = 1; o < call.operands; ++o) {
        if (access[o] != Access::kGathered) continue;
        copy_run(call.element_bytes[o], at[o] + done * bytes_of(call, o), 1,
                 call.data[o] + gather.offset(o) * bytes_of(call, o), gather.stride(o), run);
      }
      gather.advance(run);
    }
    const void* const in[] = {at[1], at[2], at[3]};
    call.op.kernel(at[0], in, count);
    if (access[0] == Access::kDense) continue;
    for (std::int64_t done = 0, run; done < count; done += run) {
      run = std::min(scatter.run(), count - done);
      copy_run(call.element_bytes[0], call.data[0] + scatter.offset(0) * bytes_of(call, 0), scatter.stride(0),
               at[0] + done * bytes_of(call, 0), 1, run);
      scatter.advance(run);
    }
  }
}

void run_large(const Call& call, Extent extent, const std::int64_t* const* strides) {
  const Iteration loop = collapse(extent, strides, call.operands);
  Access access[kMaxOperands];
  bool dense = true;
  for (int o = 0; o < call.operands; ++o) {
    access[o] = loop.is_dense(o) ? Access::kDense : loop.is_constant(o) && o > 0 ? Access::kConstant : Access::kGathered;
    dense = dense && access[o] == Access::kDense;
  }
  const std::int64_t grain = (std::max(1, kGrainCost / call.op.cost) + kBlock - 1) / kBlock * kBlock;
  parallel_for(loop.count, grain, [&](std::int64_t begin, std::int64_t end) {
    if (!dense) return run_blocks(call, loop, access, begin, end);
    const void* in[kMaxOperands - 1];
    for (int o = 1; o < call.operands; ++o) in[o - 1] = call.data[o] + begin * bytes_of(call, o);
    call.op.kernel(call.data[0] + begin * bytes_of(call, 0), in, end - begin);
  });
}

// One element needs neither strides nor a loop: the engine makes millions of these.
template <class... Inputs>
void run(const cpu::DenseOp& op, Extent extent, const Operand& out, const Inputs&... inputs) {
  const std::int64_t count = element_count(extent);
  if (count == 1) {
    const void* in[] = {inputs.data...};
    return op.kernel(out.data, in, 1);
  }
  if (count == 0) return;
  const std::int64_t* strides[] = {out.strides, inputs.strides...};
  run_large({op, 1 + static_cast<int>(sizeof...(inputs)), {bytes(out.data), bytes(inputs.data)...},
             {size_bytes(out.dtype), size_bytes(inputs.dtype)...}},
            extent, strides);
}

const cpu::DenseOp& accepted(const cpu::DenseOp& op, const char* name) {
  if (op.kernel == nullptr) refuse_dtype(name);
  return op;
}

// The strides of one value repeated over any extent.
struct Repeated {
  Repeated(DType type, double value, Extent extent) : scalar(type, value), dtype(type) {
    if (extent.rank > kMaxRank) throw std::length_error("kernels: more than 32 dimensions");
  }
  ConstOperand operand() const { return {scalar.bytes, dtype, kZeros}; }

  static constexpr std::int64_t kZeros[kMaxRank] = {};
  Scalar scalar;
  DType dtype;
};

}  // namespace

void unary(Device device, UnaryOp op, Extent extent, Operand out, ConstOperand in) {
  const cpu::DenseOp& dense = accepted(cpu::unary_dense(op, in.dtype), "this unary op");
  if (device == Device::kCuda) return cuda::unary(op, extent, out, in);
  run(dense, extent, out, in);
}

void binary(Device device, BinaryOp op, Extent extent, Operand out, ConstOperand a, ConstOperand b) {
  const cpu::DenseOp& dense = accepted(cpu::binary_dense(op, a.dtype), "this binary op");
  if (device == Device::kCuda) return cuda::binary(op, extent, out, a, b);
  run(dense, extent, out, a, b);
}

void binary_scalar(Device device, BinaryOp op, Extent extent, Operand out, ConstOperand a, double scalar) {
  const cpu::DenseOp& dense = accepted(cpu::binary_dense(op, a.dtype), "this binary op");
  if (device == Device::kCuda) return cuda::binary_scalar(op, extent, out, a, scalar);
  run(dense, extent, out, a, Repeated(a.dtype, scalar, extent).operand());
}

void scalar_binary(Device device, BinaryOp op, Extent extent, Operand out, double scalar, ConstOperand b) {
  const cpu::DenseOp& dense = accepted(cpu::binary_dense(op, b.dtype), "this binary op");
  if (device == Device::kCuda) return cuda::scalar_binary(op, extent, out, scalar, b);
  run(dense, extent, out, Repeated(b.dtype, scalar, extent).operand(), b);
}

void where(Device device, Extent extent, Operand out, ConstOperand condition, ConstOperand a, ConstOperand b) {
  if (device == Device::kCuda) return cuda::where(extent, out, condition, a, b);
  run(cpu::where_dense(out.dtype), extent, out, condition, a, b);
}

void clamp(Device device, Extent extent, Operand out, ConstOperand in, double low, double high) {
  const cpu::DenseOp& dense = accepted(cpu::clamp_dense(in.dtype), "clamp");
  if (device == Device::kCuda) return cuda::clamp(extent, out, in, low, high);
  const Repeated lowest(in.dtype, low, extent), highest(in.dtype, high, extent);
  run(dense, extent, out, in, lowest.operand(), highest.operand());
}

void fill(Device device, Extent extent, Operand out, double value) {
  if (device == Device::kCuda) return cuda::fill(extent, out, value);
  run(cpu::unary_dense(UnaryOp::kCopy, out.dtype), extent, out, Repeated(out.dtype, value, extent).operand());
}

void convert(Device device, Extent extent, Operand out, ConstOperand in) {
  if (device == Device::kCuda) return cuda::convert(extent, out, in);
  run(cpu::convert_dense(out.dtype, in.dtype), extent, out, in);
}

}  // namespace gradlab
