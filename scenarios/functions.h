// The custom Functions that more than one experiment uses, and the raw kernel launch inside them. All of them are
// right; wrong ones stand in the experiment that shows what is wrong.
#pragma once

#include <algorithm>

#include "kernels/gelu.h"
#include "src/autograd/function.h"
#include "src/autograd/observer.h"
#include "src/lab/source.h"

namespace gradlab {

// A definition inside a macro is beyond clang-format.
// clang-format off

// Launches the GELU kernel on x's memory: a fresh tensor with no grad_fn. REQUIRES: x is dense and float32.
WITH_SOURCE(kGeluExactSource, inline Tensor gelu_exact(const Tensor& x) {
  Tensor out = empty_like(x);
  gelu_forward(x.device(), x.data_ptr<float>(), out.data_ptr<float>(), x.numel());
  report_launch("gelu_forward", x.device(), x.numel(), {x.data_ptr(), out.data_ptr()});
  return out;
});

// grad_output times GELU's derivative at x, in ordinary tensor arithmetic.
WITH_SOURCE(kGeluExactGradientSource, inline Tensor gelu_exact_gradient(const Tensor& x, const Tensor& grad_output) {
  const double sqrt_2_inv = 0.7071067811865476;
  const double sqrt_2pi_inv = 0.3989422804014327;
  const Tensor cdf = 0.5 * (1.0 + (x * sqrt_2_inv).erf());
  const Tensor pdf = sqrt_2pi_inv * (-0.5 * x * x).exp();
  const Tensor d_gelu = cdf + x * pdf;
  return grad_output * d_gelu;
});

// The kernel as a node of the graph, under the two names that the experiments print.
WITH_SOURCE(kTritonGELUSource, struct TritonGELU : Function<TritonGELU> {
  static Tensor forward(Context& ctx, const Tensor& x) {
    Tensor out = gelu_exact(x);
    ctx.save_for_backward(x);
    return out;
  }
  static Tensor backward(Context& ctx, const Tensor& grad_output) {
    const Tensor x = ctx.saved_tensors()[0];
    return gelu_exact_gradient(x, grad_output);
  }
};);

WITH_SOURCE(kKernelGELUSource, struct KernelGELU : Function<KernelGELU> {
  static Tensor forward(Context& ctx, const Tensor& x) {
    ctx.save_for_backward(x);
    return gelu_exact(x);
  }
  static Tensor backward(Context& ctx, const Tensor& grad_output) {
    const Tensor x = ctx.saved_tensors()[0];
    return gelu_exact_gradient(x, grad_output);
  }
};);

// The same by one launch of the fused kernel. One value expanded over the shape is read where it stands, stride 0; any
// other gradient that is not dense is copied first. REQUIRES: x is dense and float32.
WITH_SOURCE(kGeluKernelGradientSource, inline Tensor gelu_kernel_gradient(const Tensor& x, const Tensor& grad_output) {
  const bool is_one_value = std::ranges::all_of(grad_output.strides(), [](std::int64_t stride) { return stride == 0; });
  const Tensor grad = is_one_value ? grad_output : grad_output.contiguous();
  Tensor out = empty_like(x);
  gelu_backward(x.device(), grad.data_ptr<float>(), is_one_value ? 0 : 1, x.data_ptr<float>(), out.data_ptr<float>(), x.numel());
  report_launch("gelu_backward", x.device(), x.numel(), {grad.data_ptr(), x.data_ptr(), out.data_ptr()});
  return out;
});

// TritonGELU with a kernel on the way back too; its node has the same name.
namespace kernel {
WITH_SOURCE(kTritonGELUSource, struct TritonGELU : Function<TritonGELU> {
  static Tensor forward(Context& ctx, const Tensor& x) {
    Tensor out = gelu_exact(x);
    ctx.save_for_backward(x);
    return out;
  }
  static Tensor backward(Context& ctx, const Tensor& grad_output) {
    const Tensor x = ctx.saved_tensors()[0];
    return gelu_kernel_gradient(x, grad_output);
  }
};);
}  // namespace kernel

// Launches the scaling kernel on x's memory and returns: autograd sees nothing. REQUIRES: x is dense and float32.
WITH_SOURCE(kScaleInPlaceSource, inline void scale_in_place(const Tensor& x, double factor) {
  scale_in_place(x.device(), x.data_ptr<float>(), factor, x.numel());
  report_launch("scale_in_place", x.device(), x.numel(), {x.data_ptr()});
});

// x * x, with x kept the checked way.
WITH_SOURCE(kSafeSquareSource, struct SafeSquare : Function<SafeSquare> {
  static Tensor forward(Context& ctx, const Tensor& x) {
    ctx.save_for_backward(x);
    return x * x;
  }
  static Tensor backward(Context& ctx, const Tensor& grad_output) {
    const Tensor x = ctx.saved_tensors()[0];
    return grad_output * 2 * x;
  }
};);

// clang-format on

}  // namespace gradlab
