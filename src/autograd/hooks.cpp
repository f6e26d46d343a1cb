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

constexpr std::string_view kNodeHookName = "<lambda>";

// What a hook made of one gradient.
void check_replacement(std::string_view hook, const Tensor& grad, const Tensor& result) {
  if (!result.defined()) return;
  if (!grad.defined()) throw messages::hook_replaced_none();
  const std::string was = tensor_type_name(grad.dtype(), grad.device());
  const std::string got = tensor_type_name(result.dtype(), result.device());
  if (was != got) throw messages::hook_changed_type(hook, was, got);
  if (result.shape() != grad.shape()) throw messages::hook_changed_size(hook);
}

void check_replacements(const TensorList& grads, const std::optional<TensorList>& results) {
  if (!results) return;
  if (results->size() != grads.size()) throw messages::hook_value_count(kNodeHookName, results->size(), grads.size());
  for (std::size_t i = 0; i < grads.size(); ++i) check_replacement(kNodeHookName, grads[i], (*results)[i]);
}

void run_tensor_hooks(const std::vector<NamedTensorHook>& hooks, TensorList& grads) {
  const std::vector<NamedTensorHook> registered = hooks;  // a hook may register others, which do not run this time
  for (const NamedTensorHook& hook : registered) {
    Tensor& grad = grads[hook.output_nr];
    const Tensor result = hook.run(grad);
    check_replacement(hook.name, grad, result);
    if (result.defined()) grad = result;
  }
}

}  // namespace

void register_prehook(Node& node, NodePreHook hook) {
  node.hooks().pre.push_back([hook = std::move(hook)](const TensorList& grad_outputs) {
    std::optional<TensorList> results = hook(grad_outputs);
    check_replacements(grad_outputs, results);
    return results;
  });
}

void register_hook(Node& node, NodePostHook hook) {
  node.hooks().post.push_back([hook = std::move(hook)](const TensorList& grad_inputs, const TensorList& grad_outputs) {
    std::optional<TensorList> results = hook(grad_inputs, grad_outputs);
    check_replacements(grad_inputs, results);
    return results;
  });
}

TensorHooks& tensor_hooks(const Tensor& leaf) {
  AutogradExtras& extras = leaf.impl()->autograd_extras();
  if (!extras.hooks) {
    extras.hooks = std::make_shared<TensorHooks>();
    if (const Ref<Node> accumulator = grad_accumulator_if_any(leaf)) accumulator->hooks().leaf = extras.hooks;
  }
  return *extras.hooks;
}

void run_tensor_pre_hooks(Node& node, TensorList& grads) {
  NodeHooks* hooks = node.hooks_if_any();
  if (hooks == nullptr) return;
  if (hooks->leaf) run_tensor_hooks(hooks->leaf->pre, grads);
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
