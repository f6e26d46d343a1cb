#include "src/autograd/saved_tensor.h"

#include <utility>

#include "src/autograd/anomaly.h"
#include "src/autograd/grad_mode.h"
#include "src/autograd/graph_task.h"
#include "src/autograd/keep_policy.h"
#include "src/autograd/view.h"
#include "src/tensor/format.h"
#include "src/tensor/messages.h"
#include "src/tensor/tensor_impl.h"

namespace gradlab {

namespace {

// The innermost guard's, or null.
constinit thread_local const std::shared_ptr<SavedTensorHooks>* current_hooks = nullptr;

// The same elements and counter, outside the graph.
Tensor alias_of(const Tensor& tensor) {
  return make_alias(tensor, tensor.shape(), tensor.strides(), tensor.storage_offset());
}

// KeepPolicy::kFrozen: what is packed is a copy, which nobody else can write.
const std::shared_ptr<SavedTensorHooks>& freezing_hooks() {
  static const auto hooks = std::make_shared<SavedTensorHooks>(SavedTensorHooks{
      .pack = [](const Tensor& tensor) { return frozen_copy(tensor); }, .unpack = [](const Tensor& copy) { return copy; }});
  return hooks;
}

[[gnu::cold, gnu::noinline]] void report_kept(const Node& owner, const Tensor& tensor) {
  if (Observer* observer = Observer::current()) {
    observer->kept(owner, tensor, owner.is_custom_function() ? KeptBy::kSaveForBackward : KeptBy::kOp, "");
  }
}

const std::shared_ptr<SavedTensorHooks>* hooks_in_force() {
  return KeepPolicyMode::current() == KeepPolicy::kFrozen ? &freezing_hooks() : current_hooks;
}

}  // namespace

Tensor frozen_copy(const Tensor& tensor) {
  const ObserverGuard unobserved(nullptr);
  const NoGradGuard no_grad;
  return tensor.detach().clone();
}

SavedTensorHooksGuard::SavedTensorHooksGuard(SavedTensorHooks hooks)
    : hooks_(std::make_shared<SavedTensorHooks>(std::move(hooks))), before_(std::exchange(current_hooks, &hooks_)) {}

SavedTensorHooksGuard::~SavedTensorHooksGuard() { current_hooks = before_; }

SavedTensor::Rare& SavedTensor::rare() {
  if (!rare_) rare_ = std::make_unique<Rare>();
  return *rare_;
}

SavedTensor SavedTensor::unrecorded(Tensor tensor) {
  SavedTensor saved;
  saved.data_ = std::move(tensor);
  return saved;
}

SavedTensor::SavedTensor(const Node& owner, const Tensor& tensor, bool is_output, bool inplace_on_view) {
  if (!tensor.defined()) return;
  TensorImpl& impl = *tensor.impl();
  if (impl.is_inference) throw messages::inference_saved();
  was_defined_ = true;
  saved_version_ = impl.version.current();
  is_leaf_ = !impl.grad_fn;
  inplace_on_view_ = inplace_on_view;
  if (inplace_on_view) rare().inplace_grad_fn = tensor.grad_fn();
  if (Observer::current() != nullptr) [[unlikely]] report_kept(owner, tensor);
  if (const auto* hooks = hooks_in_force(); hooks != nullptr && !impl.is_wrapped_number) [[unlikely]] {
    pack(tensor, is_output, *hooks);
    return;
  }
  is_original_ = !is_output || is_leaf_;
  if (is_original_) {
    data_ = tensor;
    return;
  }
  output_nr_ = tensor.output_nr() & kMaxOutputNr;
  data_ = alias_of(tensor);
}

void SavedTensor::pack(const Tensor& tensor, bool is_output, const std::shared_ptr<SavedTensorHooks>& hooks) {
  has_hooks_ = true;
  rare().hooks = hooks;
  output_nr_ = tensor.output_nr() & kMaxOutputNr;
  requires_grad_ = tensor.requires_grad();
  if (is_leaf_) {
    rare().grad_fn = grad_accumulator(tensor);
  } else if (!is_output) {
    rare().grad_fn = tensor.grad_fn();
  }
  const std::uint32_t version = tensor.version();
  const NoGradGuard no_grad;
  data_ = rare().hooks->pack(is_output && !is_leaf_ ? alias_of(tensor) : tensor);
  if (tensor.version() != version) throw messages::pack_hook_modified_input();
}

void SavedTensor::report(Unpacked outcome) const {
  Observer* observer = Observer::current();
  if (observer == nullptr) return;
  const Node* node = GraphTask::running_node();
  const bool by_function = node != nullptr && node->is_custom_function();
  observer->unpacked(node, data_, by_function ? KeptBy::kSaveForBackward : KeptBy::kOp, outcome, saved_version_);
}

void SavedTensor::reset_data() {
  data_ = Tensor();
  rare_.reset();
}

Tensor SavedTensor::unpack(const Ref<Node>& saved_for) const {
  if (!was_defined_) return {};
  if (!data_.defined()) {
    report(Unpacked::kFreed);
    throw messages::freed();
  }

  Ref<Node> grad_fn;
  if (inplace_on_view_) {
    grad_fn = rare_->inplace_grad_fn.lock();
  } else if (has_hooks_) {
    grad_fn = is_leaf_ ? Ref<Node>() : rare_->grad_fn;
  } else if (is_original_) {
    grad_fn = data_.grad_fn();
  }
  if (!is_leaf_ && !grad_fn) {
    if (!saved_for) throw messages::saved_detached_in_place();
    grad_fn = saved_for;
  }

  if (!has_hooks_) {
    const std::uint32_t now = data_.impl()->version.current();
    if (now != saved_version_) {
      report(Unpacked::kStale);
      throw messages::saved_version(tensor_type_name(data_.dtype(), data_.device()), data_.shape(), grad_fn ? grad_fn->name() : "",
                                    output_nr_, now, saved_version_, AnomalyMode::is_enabled());
    }
    if (Observer::current() != nullptr) [[unlikely]] report(Unpacked::kOk);
    if (is_original_) return data_;
  }

  Tensor data = data_;
  if (has_hooks_) {
    report(Unpacked::kOk);
    const NoGradGuard no_grad;
    data = rare_->hooks->unpack(data_);
    if (!grad_fn && !requires_grad_ && !data.requires_grad()) return data;
  }
  Tensor tensor = alias_of(data);
  if (grad_fn) {
    set_gradient_edge(tensor, std::move(grad_fn), output_nr_);
  } else {
    tensor.impl()->requires_grad = requires_grad_;
    if (is_leaf_ && requires_grad_) tensor.impl()->autograd_extras().grad_accumulator = rare_->grad_fn;
  }
  return tensor;
}

}  // namespace gradlab
