// torch.autograd.function.once_differentiable: a backward whose own derivative is refused instead of being wrong.
#pragma once

#include <utility>

#include "src/autograd/grad_mode.h"
#include "src/tensor/tensor.h"

namespace gradlab {

// If grad mode is on and one of `grad_outputs` requires grad, links the results to a node that throws PyTorch's text when
// somebody differentiates them; otherwise returns them as they are. Undefined ones stay.
TensorList refuse_second_derivative(const TensorList& grad_outputs, TensorList results);

// Runs `backward()` with grad mode off and refuses its derivative.
template <class Backward>
TensorList differentiate_once(const TensorList& grad_outputs, Backward backward) {
  TensorList results;
  {
    const NoGradGuard no_grad;
    results = backward();
  }
  return refuse_second_derivative(grad_outputs, std::move(results));
}

}  // namespace gradlab
