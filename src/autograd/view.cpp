#include "src/autograd/view.h"

#include "src/autograd/copy_slices.h"
#include "src/autograd/engine_ops.h"
#include "src/autograd/grad_mode.h"
#include "src/autograd/hooks.h"
#include "src/tensor/messages.h"
#include "src/tensor/tensor_impl.h"

namespace gradlab {

namespace {

CreationMeta creation_meta_of_mode() {
  if (GradMode::is_inference()) return CreationMeta::kInferenceMode;
  return GradMode::is_enabled() ? CreationMeta::kDefault : CreationMeta::kNoGradMode;
}

}  // namespace

Tensor make_view(const Tensor& of, const Shape& shape, const Shape& strides, std::int64_t storage_offset) {
  Tensor view = make_alias(of, shape, strides, storage_offset);
  if (of.impl()->is_inference) return view;
  const ViewInfo* parent = of.impl()->view();
  CreationMeta creation_meta = creation_meta_of_mode();
  if (parent != nullptr && creation_meta == CreationMeta::kDefault) creation_meta = parent->creation_meta;
  view.impl()->autograd_extras().view =
      ViewInfo{parent != nullptr ? parent->base : of, creation_meta, of.impl()->version.current()};
  return view;
}

void set_gradient_edge(const Tensor& tensor, Ref<Node> node, std::uint32_t output_nr) {
  TensorImpl& impl = *tensor.impl();
  impl.grad_fn = std::move(node);
  impl.output_nr = output_nr;
  if (ViewInfo* view = impl.view()) view->attr_version = impl.version.current();
}

void check_view_can_be_rebased(const Tensor& tensor, bool indirect) {
  const ViewInfo& view = *tensor.impl()->view();
  if (view.creation_meta == CreationMeta::kDefault) return;
  const Ref<Node>& grad_fn = tensor.impl()->grad_fn;
  throw messages::view_in_place(grad_fn ? grad_fn->name() : "", tensor.output_nr(), indirect, view.creation_meta);
}

void rebase_history(const Tensor& tensor, Ref<Node> node, std::uint32_t output_nr) {
  TensorImpl& impl = *tensor.impl();
  ViewInfo* view = impl.view();
  if (view == nullptr) {
    if (impl.extras) move_retain_grad(tensor, impl.grad_fn.get(), *node);
    set_gradient_edge(tensor, std::move(node), output_nr);
    return;
  }
  impl.output_nr = output_nr;
  const Tensor base = view->base;
  Ref<Node> copy_slices = make_ref<CopySlices>(base, tensor, std::move(node));
  move_retain_grad(base, base.impl()->grad_fn.get(), *copy_slices);
  set_gradient_edge(base, std::move(copy_slices), 0);
  tensor.grad_fn();  // regenerates it
}

Ref<Node> Tensor::grad_fn() const {
  TensorImpl& impl = *impl_;
  ViewInfo* view = impl.view();
  if (view == nullptr) return impl.grad_fn;
  if (!impl.grad_fn && !view->base.requires_grad()) return {};
  const std::uint32_t version = impl.version.current();
  if (view->attr_version != version) {
    check_view_can_be_rebased(*this, true);
    Ref<Node> node = make_as_strided_node(view->base, *this);
    move_retain_grad(*this, impl.grad_fn.get(), *node);
    impl.grad_fn = std::move(node);
    impl.output_nr = 0;
    view->attr_version = version;
  }
  return impl.grad_fn;
}

}  // namespace gradlab
