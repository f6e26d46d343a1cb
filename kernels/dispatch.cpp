// The public functions that only pick a backend. Asking for the CPU never reaches namespace cuda.
#include <cstring>

#include "kernels/backends.h"
#include "kernels/gelu.h"
#include "kernels/memory.h"

namespace gradlab {

void require_device(Device device) {
  if (device == Device::kCuda) cuda::require_device();
}

void synchronize(Device device) {
  if (device == Device::kCuda) cuda::synchronize();
}

void* allocate(Device device, std::size_t size_bytes) {
  return device == Device::kCpu ? cpu::allocate(size_bytes) : cuda::allocate(size_bytes);
}

void deallocate(Device device, void* data, std::size_t size_bytes) noexcept {
  return device == Device::kCpu ? cpu::deallocate(data, size_bytes) : cuda::deallocate(data, size_bytes);
}

void copy_bytes(Device to, void* destination, Device from, const void* source, std::size_t size_bytes) {
  if (size_bytes == 0) return;
  if (to == Device::kCpu && from == Device::kCpu) {
    std::memmove(destination, source, size_bytes);
  } else {
    cuda::copy_bytes(to, destination, from, source, size_bytes);
  }
}

std::size_t allocated_bytes(Device device) noexcept {
  return device == Device::kCpu ? cpu::allocated_bytes() : cuda::allocated_bytes();
}

void release_cached_memory(Device device) noexcept {
  return device == Device::kCpu ? cpu::release_cached_memory() : cuda::release_cached_memory();
}

void reduce(Device device, ReduceOp op, Extent extent, const bool* reduced, Operand out, ConstOperand in) {
  return device == Device::kCpu ? cpu::reduce(op, extent, reduced, out, in)
                                : cuda::reduce(op, extent, reduced, out, in);
}

void matmul(Device device, std::int64_t m, std::int64_t k, std::int64_t n, Operand out, ConstOperand a, ConstOperand b) {
  return device == Device::kCpu ? cpu::matmul(m, k, n, out, a, b) : cuda::matmul(m, k, n, out, a, b);
}

void gelu_forward(Device device, const float* x, float* out, std::int64_t n) {
  return device == Device::kCpu ? cpu::gelu_forward(x, out, n) : cuda::gelu_forward(x, out, n);
}

void gelu_forward(Device device, const double* x, double* out, std::int64_t n) {
  return device == Device::kCpu ? cpu::gelu_forward(x, out, n) : cuda::gelu_forward(x, out, n);
}

void gelu_backward(Device device, const float* grad, std::int64_t grad_stride, const float* x, float* out,
                   std::int64_t n) {
  return device == Device::kCpu ? cpu::gelu_backward(grad, grad_stride, x, out, n)
                                : cuda::gelu_backward(grad, grad_stride, x, out, n);
}

void gelu_backward(Device device, const double* grad, std::int64_t grad_stride, const double* x, double* out,
                   std::int64_t n) {
  return device == Device::kCpu ? cpu::gelu_backward(grad, grad_stride, x, out, n)
                                : cuda::gelu_backward(grad, grad_stride, x, out, n);
}

void scale_in_place(Device device, float* x, double factor, std::int64_t n) {
  return device == Device::kCpu ? cpu::scale_in_place(x, factor, n) : cuda::scale_in_place(x, factor, n);
}

void scale_in_place(Device device, double* x, double factor, std::int64_t n) {
  return device == Device::kCpu ? cpu::scale_in_place(x, factor, n) : cuda::scale_in_place(x, factor, n);
}

}  // namespace gradlab
