// A tensor kept for backward, with the version it had.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "src/autograd/node.h"
#include "src/autograd/observer.h"

namespace gradlab {

// torch.autograd.graph.saved_tensors_hooks: while a guard is alive, tensors saved for backward are packed by `pack` and come
// back through `unpack`. Switches the version check off for them. The innermost guard counts.
struct SavedTensorHooks {
  std::function<Tensor(const Tensor&)> pack;
  std::function<Tensor(const Tensor&)> unpack;
};

class SavedTensorHooksGuard {
 public:
  explicit SavedTensorHooksGuard(SavedTensorHooks hooks);
  ~SavedTensorHooksGuard();
  SavedTensorHooksGuard(const SavedTensorHooksGuard&) = delete;
  SavedTensorHooksGuard& operator=(const SavedTensorHooksGuard&) = delete;

 private:
  std::shared_ptr<SavedTensorHooks> hooks_;
  const std::shared_ptr<SavedTensorHooks>* before_;
};

// NOTE [Saved tensors]
// What backward will read is kept by reference together with its version; unpack() compares. An input is kept as the very
// tensor. An output is kept as an alias without its grad_fn, because output -> node -> saved output would be a cycle; unpack()
// links the alias to its node again, which makes double backward work. Freed is checked first, then a detach in place, then
// the version. Source: section 2 of PyTorch's semantics.
class SavedTensor {
 public:
  SavedTensor() = default;  // of an undefined tensor: unpacks to an undefined one
  // Saved by `owner`. Throws for an inference tensor. `is_output`: made by the owner. `inplace_on_view`: written by the owner
  // through a view.
  SavedTensor(const Node& owner, const Tensor& tensor, bool is_output, bool inplace_on_view = false);
  // Not yet recorded: only holds the tensor.
  static SavedTensor unrecorded(Tensor tensor);

  // The tensor as it was saved, or PyTorch's error. `saved_for`: the node that owns it, needed for outputs.
  Tensor unpack(const Ref<Node>& saved_for = {}) const;

  // Freed: a later unpack throws "Trying to backward through the graph a second time ...".
  void reset_data();

  bool was_defined() const { return was_defined_; }
  std::uint32_t saved_version() const { return saved_version_; }
  // What is kept, unchecked and unlinked: for observers.
  const Tensor& data() const { return data_; }

 private:
  // What few saved tensors have.
  struct Rare {
    WeakRef<Node> inplace_grad_fn;
    std::shared_ptr<SavedTensorHooks> hooks;
    Ref<Node> grad_fn;  // with hooks: what the unpacked tensor is linked to
  };
  Rare& rare();
  void pack(const Tensor& tensor, bool is_output, const std::shared_ptr<SavedTensorHooks>& hooks);
  [[gnu::cold, gnu::noinline]] void report(Unpacked outcome) const;

  Tensor data_;
  std::unique_ptr<Rare> rare_;
  std::uint32_t saved_version_ = 0;
  static constexpr std::uint32_t kMaxOutputNr = (1u << 26) - 1;
  std::uint32_t output_nr_ : 26 = 0;
  bool was_defined_ : 1 = false;
  bool is_original_ : 1 = false;
  bool is_leaf_ : 1 = false;
  bool requires_grad_ : 1 = false;
  bool inplace_on_view_ : 1 = false;
  bool has_hooks_ : 1 = false;
};

}  // namespace gradlab
