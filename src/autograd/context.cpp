#include "src/autograd/context.h"

#include <algorithm>

#include "src/autograd/anomaly.h"
#include "src/autograd/custom_node.h"
#include "src/autograd/graph_task.h"
#include "src/autograd/keep_policy.h"
#include "src/autograd/view.h"
#include "src/tensor/format.h"
#include "src/tensor/messages.h"
#include "src/tensor/tensor_impl.h"

namespace gradlab {

SavedValue& SavedValue::operator=(const Tensor& tensor) {
  value_ = tensor;
  return *this;
}

SavedValue& SavedValue::operator=(double number) {
  value_ = number;
  return *this;
}

SavedValue& SavedValue::operator=(std::string text) {
  value_ = std::move(text);
  return *this;
}

Tensor SavedValue::stored() const {
  if (const Tensor* tensor = std::get_if<Tensor>(&value_)) return *tensor;
  const Output* output = std::get_if<Output>(&value_);
  if (output == nullptr) throw messages::ctx_attribute_type("Tensor");
  if (const Ref<TensorImpl> alive = output->tensor.lock()) return Tensor(alive);
  Tensor tensor = make_alias(output->alias, output->alias.shape(), output->alias.strides(), output->alias.storage_offset());
  if (Ref<Node> grad_fn = output->grad_fn.lock()) set_gradient_edge(tensor, std::move(grad_fn), output->output_nr);
  return tensor;
}

Tensor SavedValue::to_tensor() const {
  const Tensor tensor = stored();
  const std::uint32_t now = tensor.impl()->version.current();
  const bool is_stale = is_guarded_ && now != version_;
  if (Observer* observer = Observer::current()) [[unlikely]] {
    observer->unpacked(GraphTask::running_node(), tensor, KeptBy::kCtxAttribute, is_stale ? Unpacked::kStale : Unpacked::kOk,
                       version_);
  }
  if (is_stale) {
    const Ref<Node> grad_fn = tensor.grad_fn();
    throw messages::saved_version(tensor_type_name(tensor.dtype(), tensor.device()), tensor.shape(),
                                  grad_fn ? grad_fn->name() : "", 0, now, version_, AnomalyMode::is_enabled());
  }
  return tensor;
}

double SavedValue::to_double() const {
  if (const double* number = std::get_if<double>(&value_)) return *number;
  throw messages::ctx_attribute_type("number");
}

const std::string& SavedValue::to_text() const {
  if (const std::string* text = std::get_if<std::string>(&value_)) return *text;
  throw messages::ctx_attribute_type("text");
}

void SavedValue::record(const Node& owner, std::string_view name, const TensorList& outputs) {
  const Tensor* kept = std::get_if<Tensor>(&value_);
  if (kept == nullptr || !kept->defined()) return;
  const Tensor tensor = *kept;
  version_ = tensor.impl()->version.current();
  is_guarded_ = KeepPolicyMode::current() == KeepPolicy::kGuardCtx;
  if (Observer* observer = Observer::current()) [[unlikely]] observer->kept(owner, tensor, KeptBy::kCtxAttribute, name);
  if (KeepPolicyMode::current() == KeepPolicy::kFrozen) {
    value_ = frozen_copy(tensor);
    version_ = 0;
    return;
  }
  for (const Tensor& output : outputs) {
    if (!output.defined() || !output.is_same(tensor)) continue;
    const Tensor alias = make_alias(output, output.shape(), output.strides(), output.storage_offset());
    value_ = Output{output.ref(), alias, output.grad_fn(), output.output_nr()};
    return;
  }
}

SavedValue& SavedData::operator[](std::string_view name) {
  if (!entries_) entries_ = std::make_unique<Entries>();
  for (auto& [existing, value] : *entries_) {
    if (existing == name) return value;
  }
  return entries_->emplace_back(std::string(name), SavedValue()).second;
}

bool SavedData::contains(std::string_view name) const {
  return entries_ && std::ranges::any_of(*entries_, [&](const auto& entry) { return entry.first == name; });
}

Context::Marks& Context::marks() {
  if (!marks_) marks_ = std::make_unique<Marks>();
  return *marks_;
}

void Context::save_for_backward(const TensorList& tensors) {
  if (state_ == State::kRecorded || state_ == State::kFreed) return;  // inside backward it has no effect
  saved_.clear();
  for (const Tensor& tensor : tensors) saved_.push_back(SavedTensor::unrecorded(tensor));
  if (state_ != State::kByHand) return;
  if (Observer* observer = Observer::current()) [[unlikely]] {
    for (const Tensor& tensor : tensors) observer->kept_by_hand(tensor);
  }
}

TensorList Context::saved_tensors() const {
  TensorList tensors;
  switch (state_) {
    case State::kForward: break;
    case State::kFreed: throw messages::freed();
    case State::kByHand:
      for (const SavedTensor& saved : saved_) tensors.push_back(saved.data());
      break;
    case State::kRecorded: {
      const Ref<Node> node = Ref<Node>::share(node_);
      for (const SavedTensor& saved : saved_) tensors.push_back(saved.unpack(node));
      break;
    }
  }
  return tensors;
}

}  // namespace gradlab
