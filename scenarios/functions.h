// The custom Functions that more than one experiment uses, and the raw kernel launch inside them. All of them are
// right; wrong ones stand in the experiment that shows what is wrong.
#pragma once

#include "kernels/gelu.h"
#include "src/autograd/function.h"
#include "src/lab/source.h"

namespace gradlab {

// A definition inside a macro is beyond clang-format.
// clang-format off

// Launches the GELU kernel on x's memory: a fresh tensor with no grad_fn. REQUIRES: x is dense and float32.
WITH_SOURCE(kGeluExactSource, inline Tensor gelu_exact(const Tensor& x) {
  Tensor out = empty_like(x);
  gelu_forward(x.device(), x.data_ptr<float>(), out.data_ptr<float>(), x.numel());
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
