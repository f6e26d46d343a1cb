// PyTorch's ctx: what a custom Function's forward leaves for its backward.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "src/autograd/saved_tensor.h"

namespace gradlab {

class CustomNode;

// One attribute set on ctx, Python's `ctx.x = x`. A tensor stored here is a plain reference: nobody checks its version and
// nothing frees it.
class SavedValue {
 public:
  SavedValue() = default;
  SavedValue& operator=(const Tensor& tensor);
  SavedValue& operator=(double number);
  SavedValue& operator=(std::string text);

  // The value stored; throws AttributeError-like RuntimeError naming the attribute if nothing of that type was.
  Tensor to_tensor() const;
  double to_double() const;
  const std::string& to_text() const;

 private:
  friend class CustomNode;
  // A tensor that forward returned. Held weakly while it lives, since output -> node -> ctx -> output would be a cycle that
  // Python's garbage collector ends and counted references do not; after its death as an alias linked to its node.
  struct Output {
    WeakRef<TensorImpl> tensor;
    Tensor alias;
    WeakRef<Node> grad_fn;
    std::uint32_t output_nr;
  };
  // At the end of forward: notes the version, and what the policy in force asks for.
  void record(const Node& owner, std::string_view name, const TensorList& outputs);
  Tensor stored() const;

  std::variant<std::monostate, Tensor, Output, double, std::string> value_;
  std::uint32_t version_ = 0;  // of a tensor, when forward returned: only explanations look at it
  bool is_guarded_ = false;    // KeepPolicy::kGuardCtx
};

// The attributes set on ctx, by name.
class SavedData {
 public:
  // The attribute, made on first use.
  SavedValue& operator[](std::string_view name);
  bool contains(std::string_view name) const;

 private:
  friend class CustomNode;
  using Entries = std::vector<std::pair<std::string, SavedValue>>;
  std::unique_ptr<Entries> entries_;  // null for the many Functions that set none
};

class Context {
 public:
  // Kept with the version check (NOTE [Saved tensors]). The version is the one at the end of forward. A second call replaces
  // the first. Undefined tensors come back undefined.
  void save_for_backward(const TensorList& tensors);
  template <class... Tensors>
  void save_for_backward(const Tensor& first, const Tensors&... rest) {
    save_for_backward(TensorList{first, rest...});
  }
  // In backward: the tensors saved, each checked at every call. Throws the version error, or "backward ... a second time".
  // Inside forward it is still empty.
  TensorList saved_tensors() const;

  // Kept without any check: the book's `ctx.x = x` is `ctx.saved_data["x"] = x`.
  SavedData saved_data;

  // Whether argument `i` of apply requires grad. Numbers count as arguments and never do.
  bool needs_input_grad(std::size_t i) const { return arguments_[i].needs_grad; }

  // These tensors were written in place by forward and must be returned. A second call replaces the first.
  void mark_dirty(TensorList tensors) { marks().dirty = std::move(tensors); }
  void mark_dirty(const Tensor& tensor) { mark_dirty(TensorList{tensor}); }
  // These outputs have no gradient.
  void mark_non_differentiable(TensorList tensors) { marks().non_differentiable = std::move(tensors); }
  void mark_non_differentiable(const Tensor& tensor) { mark_non_differentiable(TensorList{tensor}); }
  // false: gradients that did not arrive reach backward undefined instead of as zeros.
  void set_materialize_grads(bool value) { materialize_grads_ = value; }

 private:
  friend class CustomNode;

  struct Argument {
    bool is_tensor;
    bool needs_grad;
  };
  struct Marks {
    TensorList dirty;
    TensorList non_differentiable;
  };
  // By hand: made by a user who calls forward directly, and belonging to no node.
  enum class State : std::uint8_t { kByHand, kForward, kRecorded, kFreed };

  Marks& marks();

  InlineVector<SavedTensor, 1> saved_;
  InlineVector<Argument, 4> arguments_;
  std::unique_ptr<Marks> marks_;
  CustomNode* node_ = nullptr;
  State state_ = State::kByHand;
  bool materialize_grads_ = true;
};

}  // namespace gradlab
