#include "src/autograd/hooks.h"

#include "src/autograd/engine_ops.h"
#include "src/tensor/format.h"
#include "src/tensor/messages.h"
#include "src/tensor/tensor_impl.h"

namespace gradlab {

namespace {

void retain_grad(const RetainGrad& retain, const Tensor& grad) {
  const Tensor tensor(retain.tensor.lock());
  if (!tensor.defined() || !grad.defined()) return;
  Tensor& kept = tensor.impl()->autograd_extras().grad;
  if (kept.defined()) {
    kept = kept + grad;
  } else {
    kept = clone_contiguous(grad);
  }
}

}  // namespace

void run_tensor_hooks(const std::vector<NamedTensorHook>& hooks, TensorList& grads) {
  for (std::size_t i = 0; i < hooks.size(); ++i) {
    const NamedTensorHook hook = hooks[i];  // a copy: the hook may register others
    Tensor& grad = grads[hook.output_nr];
    const Tensor result = hook.run(grad);
    if (!result.defined()) continue;
    if (grad.defined()) {
      if (result.dtype() != grad.dtype()) {
        throw messages::hook_changed_type(hook.name, tensor_type_name(grad.dtype(), grad.device()),
                                          tensor_type_name(result.dtype(), result.device()));
      }
      if (result.shape() != grad.shape()) throw messages::hook_changed_size(hook.name);
    }
    grad = result;
  }
}

void run_tensor_pre_hooks(Node& node, TensorList& grads) {
  NodeHooks* hooks = node.hooks_if_any();
  if (hooks == nullptr) return;
  run_tensor_hooks(hooks->tensor_pre, grads);
  for (const RetainGrad& retain : hooks->retain_grad) retain_grad(retain, grads[retain.output_nr]);
}

void move_retain_grad(const Tensor& tensor, Node* from, Node& to) {
  if (!tensor.retains_grad() || from == nullptr || from->hooks_if_any() == nullptr) return;
  std::vector<RetainGrad>& kept = from->hooks_if_any()->retain_grad;
  for (auto retain = kept.begin(); retain != kept.end(); ++retain) {
    if (retain->tensor.lock() != tensor.ref()) continue;
    to.hooks().retain_grad.push_back(*retain);
    kept.erase(retain);
    return;
  }
}

}  // namespace gradlab
