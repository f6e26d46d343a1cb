// The chapter's kernel: exact GELU on raw pointers. A launch sees pointers and a length, never a tensor, which is why
// autograd cannot see it. Formula: gelu(x) = x * cdf(x), cdf(x) = (1 + erf(x / sqrt 2)) / 2; Hendrycks and Gimpel 2016.
#pragma once

#include <cstdint>

#include "kernels/device.h"

namespace gradlab {

// out[i] = gelu(x[i]) for i < n. x and out are dense, on `device`, at any alignment; out may be x.
void gelu_forward(Device device, const float* x, float* out, std::int64_t n);
void gelu_forward(Device device, const double* x, double* out, std::int64_t n);

// out[i] = grad[i * grad_stride] * (cdf(x[i]) + x[i] * pdf(x[i])) for i < n, pdf(x) = exp(-x * x / 2) / sqrt(2 pi).
// grad_stride is 1 for a dense gradient or 0 for one value expanded over all elements, which is then read once.
void gelu_backward(Device device, const float* grad, std::int64_t grad_stride, const float* x, float* out, std::int64_t n);
void gelu_backward(Device device, const double* grad, std::int64_t grad_stride, const double* x, double* out,
                   std::int64_t n);

// x[i] = x[i] * factor for i < n, in place: a raw kernel that writes over its input.
void scale_in_place(Device device, float* x, double factor, std::int64_t n);
void scale_in_place(Device device, double* x, double factor, std::int64_t n);

}  // namespace gradlab
