// torch.autograd.gradcheck: a function's gradients held against finite differences.
#pragma once

#include <functional>

#include "src/tensor/tensor.h"

namespace gradlab {

struct GradcheckOptions {
  double eps = 1e-6;  // the step of the central difference, in the input's own dtype
  double atol = 1e-5;
  double rtol = 1e-3;
  bool raise_exception = true;
  double nondet_tol = 0.0;  // how far two analytical Jacobians of the same point may differ
  bool check_undefined_grad = true;
};

// Undefined results stand for outputs that are no tensors.
using CheckedFunction = std::function<TensorList(const TensorList& inputs)>;

// Compares, for each output that requires grad and each input that does, the analytical Jacobian with the numerical one:
// every |a - n| <= atol + rtol * |n|. Then a gradient of zeros must give zeros, and so must one that is missing. Inputs should
// be float64; they are changed and put back while the check runs. Returns true, or throws a GradcheckError with PyTorch's text;
// with raise_exception = false returns false for that one. Errors of `function` and of unsuitable inputs go through.
bool gradcheck(const CheckedFunction& function, const TensorList& inputs, const GradcheckOptions& options = {});

// gradcheck of the function that `function`'s gradients are, of the inputs and of gradients for its outputs; without
// `grad_outputs` those are random, the same in every run.
bool gradgradcheck(const CheckedFunction& function, const TensorList& inputs, const TensorList& grad_outputs = {},
                   const GradcheckOptions& options = {});

}  // namespace gradlab
