// Internal to kernels/: what each backend defines. The public functions (dispatch.cpp, elementwise.cpp) pick one by device.
// namespace cuda is defined by *_cuda.cu, or by no_cuda.cpp in a build without nvcc.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/elementwise.h"
#include "kernels/matmul.h"
#include "kernels/reduce.h"

namespace gradlab::cpu {

void* allocate(std::size_t size_bytes);
void deallocate(void* data, std::size_t size_bytes) noexcept;
std::size_t allocated_bytes() noexcept;
void release_cached_memory() noexcept;

void reduce(ReduceOp op, Extent extent, const bool* reduced, Operand out, ConstOperand in);
void matmul(std::int64_t m, std::int64_t k, std::int64_t n, Operand out, ConstOperand a, ConstOperand b);

void gelu_forward(const float* x, float* out, std::int64_t n);
void gelu_forward(const double* x, double* out, std::int64_t n);
void gelu_backward(const float* grad, std::int64_t grad_stride, const float* x, float* out, std::int64_t n);
void gelu_backward(const double* grad, std::int64_t grad_stride, const double* x, double* out, std::int64_t n);
void scale_in_place(float* x, double factor, std::int64_t n);
void scale_in_place(double* x, double factor, std::int64_t n);

}  // namespace gradlab::cpu

namespace gradlab::cuda {

void require_device();
void synchronize();

void* allocate(std::size_t size_bytes);
void deallocate(void* data, std::size_t size_bytes) noexcept;
void copy_bytes(Device to, void* destination, Device from, const void* source, std::size_t size_bytes);
std::size_t allocated_bytes() noexcept;
void release_cached_memory() noexcept;

void unary(UnaryOp op, Extent extent, Operand out, ConstOperand in);
void binary(BinaryOp op, Extent extent, Operand out, ConstOperand a, ConstOperand b);
void binary_scalar(BinaryOp op, Extent extent, Operand out, ConstOperand a, double scalar);
void scalar_binary(BinaryOp op, Extent extent, Operand out, double scalar, ConstOperand b);
void where(Extent extent, Operand out, ConstOperand condition, ConstOperand a, ConstOperand b);
void clamp(Extent extent, Operand out, ConstOperand in, double low, double high);
void fill(Extent extent, Operand out, double value);
void convert(Extent extent, Operand out, ConstOperand in);

void reduce(ReduceOp op, Extent extent, const bool* reduced, Operand out, ConstOperand in);
void matmul(std::int64_t m, std::int64_t k, std::int64_t n, Operand out, ConstOperand a, ConstOperand b);

void gelu_forward(const float* x, float* out, std::int64_t n);
void gelu_forward(const double* x, double* out, std::int64_t n);
void gelu_backward(const float* grad, std::int64_t grad_stride, const float* x, float* out, std::int64_t n);
void gelu_backward(const double* grad, std::int64_t grad_stride, const double* x, double* out, std::int64_t n);
void scale_in_place(float* x, double factor, std::int64_t n);
void scale_in_place(double* x, double factor, std::int64_t n);

}  // namespace gradlab::cuda
