// How an op becomes a node.
#pragma once

#include <array>

#include "src/autograd/grad_mode.h"
#include "src/autograd/inplace.h"
#include "src/autograd/node.h"
#include "src/autograd/observer.h"
#include "src/autograd/saved_tensor.h"
#include "src/autograd/view.h"
#include "src/ops/kernel_call.h"

namespace gradlab {

// A node of an op that is part of the engine. Ops name theirs with the macro-free one-liner
//   struct MulBackward0 final : OpNode<"MulBackward0"> { ... };
template <std::size_t N>
struct FixedString {
  constexpr FixedString(const char (&text)[N]) { std::copy_n(text, N, value); }
  char value[N];
};

// What PyTorch calls an op's operands.
using OperandNames = std::array<const char*, 3>;
inline constexpr OperandNames kSelfOther{"self", "other", ""};

template <FixedString kName>
struct OpNode : Node {
  static constexpr std::string_view kNodeName = kName.value;
  static constexpr OperandNames kOperands = kSelfOther;
  std::string name() const override { return kName.value; }

 protected:
  // The one gradient that arrived; undefined when none did, and then so are all results.
  static const Tensor& only(const TensorList& grad_outputs) { return grad_outputs[0]; }
  Ref<Node> self_ref() { return Ref<Node>::share(this); }
};

// Throw PyTorch's texts; out of line, like what is told to observers.
[[noreturn, gnu::cold, gnu::noinline]] void refuse_undefined(const OperandNames& names,
                                                             std::initializer_list<const Tensor*> operands);
[[noreturn, gnu::cold, gnu::noinline]] void refuse_dtype(const Tensor& result);

// Throws PyTorch's text if one is undefined.
template <class... Tensors>
void check_defined(const OperandNames& names, const Tensors&... operands) {
  if (!(operands.defined() && ...)) [[unlikely]] refuse_undefined(names, {&operands...});
}
inline void check_defined(const Tensor& self) { check_defined(kSelfOther, self); }

// Whether an op on these tensors is recorded.
template <class... Tensors>
bool is_recorded(const Tensors&... inputs) {
  check_defined(kSelfOther, inputs...);
  return GradMode::is_enabled() && (inputs.requires_grad() || ...);
}

// Tell the observer of an op's inputs and result. Out of line, so that an op which nobody observes pays for a test alone.
[[gnu::cold, gnu::noinline]] void report_inputs(std::initializer_list<const Tensor*> inputs);
[[gnu::cold, gnu::noinline]] void report_result(const Tensor& result, std::string_view name, const Node* node);

// The op's node with an edge to each input, or null when the op is not recorded.
template <class NodeType, class... Tensors>
Ref<NodeType> record(const Tensors&... inputs) {
  check_defined(NodeType::kOperands, inputs...);
  if (Observer::current() != nullptr) [[unlikely]] report_inputs({&inputs...});
  if (!(GradMode::is_enabled() && (inputs.requires_grad() || ...))) return {};
  Ref<NodeType> node = make_ref<NodeType>();
  (node->add_next_edge(inputs.requires_grad() ? gradient_edge(inputs) : Edge()), ...);
  return node;
}

// Links a fresh result to its node, if there is one.
template <class NodeType>
Tensor linked(Tensor result, const Ref<NodeType>& node) {
  if (GradMode::is_inference() && !result.is_view()) result.impl()->is_inference = true;
  if (node) {
    if (!is_floating_point(result.dtype())) [[unlikely]] refuse_dtype(result);
    node->add_input_metadata(result);
    set_gradient_edge(result, node, 0);
  }
  if (Observer::current() != nullptr) [[unlikely]] {
    std::string_view name = "op";
    if constexpr (requires { NodeType::kNodeName; }) name = NodeType::kNodeName;
    report_result(result, name, node.get());
  }
  return result;
}

// Ends an in-place op (NOTE [In-place] in inplace.h).
template <class NodeType>
const Tensor& written(const Tensor& self, const Ref<NodeType>& node) {
  if (node) node->add_input_metadata(self);
  finish_inplace(self, node);
  return self;
}

}  // namespace gradlab
