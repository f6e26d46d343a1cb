// The autograd part of Tensor.
#include "src/autograd/engine.h"
#include "src/autograd/grad_mode.h"
#include "src/autograd/hooks.h"
#include "src/autograd/node.h"
#include "src/tensor/format.h"
#include "src/tensor/messages.h"
#include "src/tensor/tensor_impl.h"
#include "src/tensor/warning.h"

namespace gradlab {

bool Tensor::requires_grad() const {
  TensorImpl& impl = *impl_;
  if (impl.requires_grad || impl.grad_fn) return true;
  const ViewInfo* view = impl.view();
  return view != nullptr && view->base.requires_grad();
}

bool Tensor::is_leaf() const { return !grad_fn(); }

std::uint32_t Tensor::output_nr() const { return impl_->output_nr; }

bool Tensor::is_view() const { return impl_->view() != nullptr; }

Tensor Tensor::base() const { return is_view() ? impl_->view()->base : Tensor(); }

Tensor Tensor::grad() const {
  const Tensor grad = impl_->extras ? impl_->extras->grad : Tensor();
  if (!grad.defined() && impl_->grad_fn && !retains_grad()) warn(messages::kNonLeafGrad);
  return grad;
}

void Tensor::set_grad(const Tensor& grad) const {
  if (grad.defined()) {
    if (grad.is_same(*this)) throw messages::grad_is_itself();
    if (grad.dtype() != dtype()) throw messages::grad_dtype(grad.dtype(), dtype());
    if (grad.device() != device()) throw messages::grad_device(grad.device(), device());
    if (grad.shape() != shape()) throw messages::grad_size(grad.shape(), shape());
  } else if (!impl_->extras) {
    return;
  }
  impl_->autograd_extras().grad = grad;
}

const Tensor& Tensor::requires_grad_(bool requires_grad) const {
  if (!requires_grad && impl_->grad_fn) throw messages::requires_grad_of_non_leaf();
  if (requires_grad && !is_floating_point(dtype())) throw messages::only_floating_can_require_grad();
  if (requires_grad && impl_->is_inference && !GradMode::is_inference()) throw messages::inference_requires_grad();
  impl_->requires_grad = requires_grad;
  return *this;
}

const Tensor& Tensor::detach_() const {
  if (is_view()) throw messages::detach_view_in_place();
  impl_->requires_grad = false;
  impl_->grad_fn.reset();
  impl_->output_nr = 0;
  return *this;
}

bool Tensor::retains_grad() const { return impl_->extras && impl_->extras->retains_grad; }

void Tensor::retain_grad() const {
  if (!requires_grad()) throw messages::retain_grad_without_requires_grad();
  if (!impl_->grad_fn || retains_grad()) return;
  grad_fn()->hooks().retain_grad.push_back({output_nr(), impl_});
  impl_->autograd_extras().retains_grad = true;
}

void Tensor::register_hook(TensorHook hook) const {
  if (!requires_grad()) throw messages::hook_without_grad();
  NamedTensorHook named{output_nr(), "<lambda>", std::move(hook)};
  if (const Ref<Node> node = grad_fn()) {
    node->hooks().tensor_pre.push_back(std::move(named));
    return;
  }
  tensor_hooks(*this).pre.push_back(std::move(named));
}

void Tensor::register_post_accumulate_grad_hook(std::function<void(const Tensor&)> hook) const {
  if (!requires_grad()) throw messages::hook_without_grad();
  if (grad_fn()) throw messages::post_hook_of_non_leaf();
  tensor_hooks(*this).post_accumulate.push_back(std::move(hook));
}

void Tensor::backward(const Tensor& gradient) const { backward(gradient, {}); }

void Tensor::backward(const Tensor& gradient, BackwardOptions options) const {
  gradlab::backward({*this}, {gradient}, options);
}

std::string Tensor::to_string() const {
  std::string grad_fn_name;
  try {
    if (const Ref<Node> node = grad_fn()) grad_fn_name = node->class_name();
  } catch (const Error&) {
    grad_fn_name = "Invalid";
  }
  const HostValues values(*this);
  return format_tensor({.dtype = dtype(),
                        .device = device(),
                        .shape = shape(),
                        .values = values.data(),
                        .grad_fn = grad_fn_name,
                        .requires_grad = requires_grad()});
}

}  // namespace gradlab
