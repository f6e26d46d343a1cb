#include "src/autograd/saved_tensor.h"

#include <utility>

#include "src/autograd/anomaly.h"
#include "src/autograd/grad_mode.h"
#include "src/autograd/view.h"
#include "src/tensor/format.h"
#include "src/tensor/messages.h"
#include "src/tensor/tensor_impl.h"

namespace gradlab {

namespace {

std::shared_ptr<SavedTensorHooks>& current_hooks() {
  thread_local std::shared_ptr<SavedTensorHooks> hooks;
  return hooks;
}

// The same elements and counter, outside the graph.
Tensor alias_of(const Tensor& tensor) {
  return make_alias(tensor, tensor.shape(), tensor.strides(), tensor.storage_offset());
}

}  // namespace

SavedTensorHooksGuard::SavedTensorHooksGuard(SavedTensorHooks hooks)
    : before_(std::exchange(current_hooks(), std::make_shared<SavedTensorHooks>(std::move(hooks)))) {}

SavedTensorHooksGuard::~SavedTensorHooksGuard() { current_hooks() = std::move(before_); }

SavedTensor::SavedTensor(const Tensor& tensor, bool is_output, bool inplace_on_view) {
  if (!tensor.defined()) return;
  TensorImpl& impl = *tensor.impl();
  if (impl.is_inference) throw messages::inference_saved();
  was_defined_ = true;
  saved_version_ = impl.version.current();
  is_leaf_ = !impl.grad_fn;
  is_output_ = is_output;
  inplace_on_view_ = inplace_on_view;
  if (inplace_on_view) inplace_grad_fn_ = tensor.grad_fn();
  if (current_hooks() && !impl.is_wrapped_number) [[unlikely]] {
    hooks_ = current_hooks();
    output_nr_ = tensor.output_nr();
    requires_grad_ = tensor.requires_grad();
    if (is_leaf_) {
      grad_fn_ = grad_accumulator(tensor);
    } else if (!is_output) {
      grad_fn_ = tensor.grad_fn();
    }
    const std::uint32_t version = impl.version.current();
    {
      const NoGradGuard no_grad;
      data_ = hooks_->pack(is_output && !is_leaf_ ? alias_of(tensor) : tensor);
    }
    if (impl.version.current() != version) throw messages::pack_hook_modified_input();
    return;
  }
  is_original_ = !is_output || is_leaf_;
  if (is_original_) {
    data_ = tensor;
    return;
  }
  output_nr_ = tensor.output_nr();
  requires_grad_ = tensor.requires_grad();
  data_ = alias_of(tensor);
}

void SavedTensor::reset_data() {
  data_ = Tensor();
  hooks_.reset();
  grad_fn_.reset();
}

Tensor SavedTensor::unpack(const Ref<Node>& saved_for) const {
  if (!was_defined_) return {};
  if (!data_.defined()) throw messages::freed();

  Ref<Node> grad_fn;
  if (inplace_on_view_) {
    grad_fn = inplace_grad_fn_.lock();
  } else if (hooks_) {
    grad_fn = is_leaf_ ? Ref<Node>() : grad_fn_;
  } else if (is_original_) {
    grad_fn = data_.grad_fn();
  }
  if (!is_leaf_ && !grad_fn) {
    if (!saved_for) throw messages::saved_detached_in_place();
    grad_fn = saved_for;
  }

  if (!hooks_) {
    const std::uint32_t now = data_.impl()->version.current();
    if (now != saved_version_) {
      throw messages::saved_version(tensor_type_name(data_.dtype(), data_.device()), data_.shape(), grad_fn ? grad_fn->name() : "",
                                    output_nr_, now, saved_version_, AnomalyMode::is_enabled());
    }
    if (is_original_) return data_;
  }

  Tensor data = data_;
  if (hooks_) {
    const NoGradGuard no_grad;
    data = hooks_->unpack(data_);
    if (!grad_fn && !requires_grad_ && !data.requires_grad()) return data;
  }
  Tensor tensor = alias_of(data);
  if (grad_fn) {
    set_gradient_edge(tensor, std::move(grad_fn), output_nr_);
  } else {
    tensor.impl()->requires_grad = requires_grad_;
    if (is_leaf_ && requires_grad_) tensor.impl()->autograd_extras().grad_accumulator = grad_fn_;
  }
  return tensor;
}

}  // namespace gradlab
