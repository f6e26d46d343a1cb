// What a Recorder hears of while backward runs.
#include "src/lab/content.h"
#include "src/lab/recorder.h"

namespace gradlab {
namespace {

trace::UnpackOutcome outcome_of(Unpacked outcome) {
  switch (outcome) {
    case Unpacked::kOk:
      return trace::UnpackOutcome::kOk;
    case Unpacked::kStale:
      return trace::UnpackOutcome::kStale;
    case Unpacked::kFreed:
      return trace::UnpackOutcome::kFreed;
  }
  return {};
}

bool is_same_look(const Tensor& a, const Tensor& b) {
  return a.impl()->storage == b.impl()->storage && a.impl()->version == b.impl()->version && a.shape() == b.shape() &&
         a.strides() == b.strides() && a.storage_offset() == b.storage_offset();
}

std::vector<std::optional<trace::Content>> contents_of(const TensorList& tensors) {
  std::vector<std::optional<trace::Content>> contents;
  for (const Tensor& tensor : tensors) {
    contents.push_back(tensor.defined() ? std::optional(content_of(tensor)) : std::nullopt);
  }
  return contents;
}

}  // namespace

trace::SavedBy Recorder::saved_by(KeptBy by) {
  switch (by) {
    case KeptBy::kSaveForBackward:
      return trace::SavedBy::kSaveForBackward;
    case KeptBy::kOp:
      return trace::SavedBy::kOp;
    case KeptBy::kCtxAttribute:
      return trace::SavedBy::kCtxAttribute;
  }
  return {};
}

Recorder::Kept* Recorder::find_kept(KnownNode& owner, const Tensor& tensor, trace::SavedBy by) {
  const auto is_it = [&](const Kept& kept) {
    const Tensor known_tensor = alive(known(kept.tensor));
    return tensor.defined() && known_tensor.defined() && is_same_look(known_tensor, tensor);
  };
  Kept* first_unread = nullptr;
  Kept* first = nullptr;
  for (Kept& kept : owner.kept) {
    if (kept.by != by) continue;
    if (first == nullptr) first = &kept;
    if (kept.is_read) continue;
    if (is_it(kept)) return &kept;
    if (first_unread == nullptr) first_unread = &kept;
  }
  return first_unread != nullptr ? first_unread : first;
}

void Recorder::unpacked(const Node* node, const Tensor& tensor, KeptBy by, Unpacked outcome, std::uint32_t expected) {
  if (tensor.defined() && tensor.impl()->is_wrapped_number) return;
  trace::TensorUnpacked event;
  event.by = saved_by(by);
  event.outcome = outcome_of(outcome);
  event.expected_version = expected;
  bool is_the_tensor = true;  // not a copy of it
  if (node != nullptr) {
    KnownNode& owner = see(*node);
    event.node = owner.number;
    if (Kept* kept = find_kept(owner, tensor, event.by)) {
      kept->is_read = true;
      event.attribute = kept->attribute;
      event.tensor = known(kept->tensor).name;
      const Tensor original = alive(known(kept->tensor));
      is_the_tensor = tensor.defined() && original.defined() && is_same_look(original, tensor);
    }
  }
  if (event.tensor.empty() && tensor.defined()) event.tensor = label_of(tensor);
  if (tensor.defined()) {
    event.version = is_the_tensor ? tensor.impl()->version.current() : expected;
    event.content = content_now(tensor);
  }
  add(std::move(event));
}

void Recorder::runs(const Node& node, const TensorList& grad_outputs) {
  KnownNode& owner = see(node);
  for (Kept& kept : owner.kept) kept.is_read = false;
  running_.push_back(owner.number);
  add(trace::NodeBegan{owner.number, contents_of(grad_outputs)});
}

void Recorder::ran(const Node& node, const TensorList& grad_inputs) {
  if (!running_.empty()) running_.pop_back();
  add(trace::NodeEnded{see(node).number, contents_of(grad_inputs)});
}

void Recorder::accumulated(const Tensor& leaf, const Tensor& grad) {
  if (grad.defined()) add(trace::GradAccumulated{label_of(leaf), content_of(grad)});
}

void Recorder::freed(const Node& node) {
  KnownNode& owner = see(node);
  for (const Kept& kept : owner.kept) {
    Known& saved = known(kept.tensor);
    std::erase(saved.saved_by, owner.number);
    if (saved.saved_by.empty()) saved.alias = Tensor();
  }
  if (!owner.kept.empty()) add(trace::SavedFreed{owner.number});
}

}  // namespace gradlab
