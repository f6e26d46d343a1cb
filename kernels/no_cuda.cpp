// Links in place of *_cuda.cu when nvcc is absent: every call says so.
#include "kernels/backends.h"

namespace gradlab::cuda {
namespace {

[[noreturn]] void refuse() {
  throw DeviceError(
      "this build of gradlab has no CUDA: build it where nvcc is on the PATH, or use --device cpu, which works everywhere");
}

}  // namespace

void require_device() { refuse(); }
void synchronize() { refuse(); }

void* allocate(std::size_t) { refuse(); }
void deallocate(void*, std::size_t) noexcept {}
void copy_bytes(Device, void*, Device, const void*, std::size_t) { refuse(); }
std::size_t allocated_bytes() noexcept { return 0; }
void release_cached_memory() noexcept {}

void unary(UnaryOp, Extent, Operand, ConstOperand) { refuse(); }
void binary(BinaryOp, Extent, Operand, ConstOperand, ConstOperand) { refuse(); }
void binary_scalar(BinaryOp, Extent, Operand, ConstOperand, double) { refuse(); }
void scalar_binary(BinaryOp, Extent, Operand, double, ConstOperand) { refuse(); }
void where(Extent, Operand, ConstOperand, ConstOperand, ConstOperand) { refuse(); }
void clamp(Extent, Operand, ConstOperand, double, double) { refuse(); }
void fill(Extent, Operand, double) { refuse(); }
void convert(Extent, Operand, ConstOperand) { refuse(); }

void reduce(ReduceOp, Extent, const bool*, Operand, ConstOperand) { refuse(); }
void matmul(std::int64_t, std::int64_t, std::int64_t, Operand, ConstOperand, ConstOperand) { refuse(); }

void gelu_forward(const float*, float*, std::int64_t) { refuse(); }
void gelu_forward(const double*, double*, std::int64_t) { refuse(); }
void gelu_backward(const float*, std::int64_t, const float*, float*, std::int64_t) { refuse(); }
void gelu_backward(const double*, std::int64_t, const double*, double*, std::int64_t) { refuse(); }
void scale_in_place(float*, double, std::int64_t) { refuse(); }
void scale_in_place(double*, double, std::int64_t) { refuse(); }

}  // namespace gradlab::cuda
