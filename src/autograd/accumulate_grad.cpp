#include "src/autograd/accumulate_grad.h"

#include <limits>

#include "src/autograd/grad_mode.h"
#include "src/autograd/hooks.h"
#include "src/autograd/observer.h"
#include "src/tensor/messages.h"
#include "src/tensor/tensor_impl.h"

namespace gradlab {

namespace {

// The gradient's memory is laid out as the parameter's would be. The stride of a dimension of size 1 is free, but for a 0,
// which stands for an expanded tensor.
bool obeys_layout(const Tensor& grad, const Tensor& variable) {
  if (!variable.is_non_overlapping_and_dense()) return grad.is_contiguous();
  for (std::size_t d = 0; d < grad.shape().size(); ++d) {
    if (grad.shape()[d] == 1 ? grad.strides()[d] == 0 : grad.strides()[d] != variable.strides()[d]) return false;
  }
  return true;
}

Tensor clone_into_layout(const Tensor& grad, const Tensor& variable) {
  const Shape strides =
      variable.is_non_overlapping_and_dense() ? variable.strides() : contiguous_strides(variable.shape());
  Tensor clone = make_tensor(variable.shape(), strides, grad.dtype(), grad.device());
  clone.copy_(grad);
  return clone;
}

// Nobody else sees it: it can become .grad as it is.
bool can_steal(const Tensor& grad, const Tensor& variable) {
  return !GradMode::is_enabled() && grad.use_count() == 1 && obeys_layout(grad, variable);
}

}  // namespace

AccumulateGrad::AccumulateGrad(const Tensor& leaf)
    : Node(std::numeric_limits<std::uint64_t>::max()), variable_(leaf) {
  add_input_metadata(leaf);
  const AutogradExtras* extras = leaf.impl()->extras.get();
  if (extras != nullptr && extras->hooks) hooks().leaf = extras->hooks;
}

TensorList AccumulateGrad::apply(TensorList&& grad_outputs) {
  if (!variable_.defined() || !variable_.requires_grad()) return {};
  if (variable_.grad_fn()) throw messages::leaf_moved();
  AutogradExtras& extras = variable_.impl()->autograd_extras();
  const Tensor& new_grad = grad_outputs[0];
  if (new_grad.defined()) {
    if (!extras.grad.defined()) {
      extras.grad = can_steal(new_grad, variable_) ? new_grad.detach() : clone_into_layout(new_grad, variable_);
    } else if (!GradMode::is_enabled()) {
      extras.grad.add_(new_grad);
    } else {
      extras.grad = extras.grad + new_grad;
    }
  }
  if (Observer* observer = Observer::current()) [[unlikely]] observer->accumulated(variable_, extras.grad);
  if (const std::shared_ptr<TensorHooks> hooks = extras.hooks) {
    for (const auto& hook : hooks->post_accumulate) hook(variable_);
  }
  return {};
}

}  // namespace gradlab
