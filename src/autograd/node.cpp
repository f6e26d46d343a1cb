#include "src/autograd/node.h"

#include <fmt/format.h>

#include "src/autograd/accumulate_grad.h"
#include "src/autograd/anomaly.h"
#include "src/autograd/graph_task.h"
#include "src/autograd/hooks.h"
#include "src/tensor/tensor_impl.h"

namespace gradlab {

namespace {

constinit thread_local std::uint64_t next_sequence_nr = 0;

}  // namespace

Node::Node() : Node(next_sequence_nr++) {}

Node::Node(std::uint64_t sequence_nr) : sequence_nr_(sequence_nr) {
  if (AnomalyMode::is_enabled()) [[unlikely]] extras().anomaly = anomaly_metadata_for_new_node();
}

Node::~Node() = default;

Node::Extras::~Extras() = default;

Node::Extras& Node::extras() {
  if (!extras_) extras_ = std::make_unique<Extras>();
  return *extras_;
}

std::string Node::class_name() const {
  const std::string name = this->name();
  const std::size_t scope = name.rfind("::");
  return scope == std::string::npos ? name : name.substr(scope + 2);
}

std::string Node::to_string(bool with_address) const {
  const std::string address = with_address ? fmt::format("{}", static_cast<const void*>(this)) : "...";
  return fmt::format("<{}{} object at {}>", is_custom_function() ? "torch.autograd.function." : "", class_name(), address);
}

std::uint32_t Node::add_input_metadata(const Tensor& output) {
  input_metadata_.push_back({output.shape(), output.dtype(), output.device(), false});
  return num_inputs() - 1;
}

std::uint32_t Node::add_undefined_input(const Tensor& output) {
  InputMetadata metadata;
  if (output.defined()) metadata = {output.shape(), output.dtype(), output.device(), false};
  metadata.is_undefined = true;
  metadata.is_not_a_tensor = !output.defined();
  input_metadata_.push_back(metadata);
  return num_inputs() - 1;
}

bool Node::task_should_compute_output(std::size_t i) const {
  const Edge& next = next_edges_[i];
  return next.is_valid() && GraphTask::should_execute(*next.function);
}

NodeHooks& Node::hooks() {
  if (!extras().hooks) extras_->hooks = std::make_unique<NodeHooks>();
  return *extras_->hooks;
}

void dispose(Node* node) noexcept {
  static constinit thread_local Node* waiting = nullptr;
  static constinit thread_local bool is_draining = false;
  // The list runs through the sequence numbers, which nobody will read again.
  node->sequence_nr_ = reinterpret_cast<std::uintptr_t>(waiting);
  waiting = node;
  if (is_draining) return;
  is_draining = true;
  while (waiting != nullptr) {
    Node* next = waiting;
    waiting = reinterpret_cast<Node*>(static_cast<std::uintptr_t>(next->sequence_nr_));
    next->~Node();
    ref_internal::drop_weak(next);
  }
  is_draining = false;
}

Edge gradient_edge(const Tensor& tensor) {
  if (Ref<Node> grad_fn = tensor.grad_fn()) return {std::move(grad_fn), tensor.output_nr()};
  return {grad_accumulator(tensor), 0};
}

Ref<Node> grad_accumulator(const Tensor& leaf) {
  TensorImpl& impl = *leaf.impl();
  if (!impl.requires_grad) return {};
  AutogradExtras& extras = impl.autograd_extras();
  if (Ref<Node> existing = extras.grad_accumulator.lock()) return existing;
  Ref<Node> made = make_ref<AccumulateGrad>(leaf);
  extras.grad_accumulator = made;
  return made;
}

Ref<Node> grad_accumulator_if_any(const Tensor& leaf) {
  return leaf.impl()->extras ? leaf.impl()->extras->grad_accumulator.lock() : Ref<Node>();
}

EdgeList collect_next_edges(std::initializer_list<const Tensor*> tensors) {
  EdgeList edges;
  edges.reserve(tensors.size());
  for (const Tensor* tensor : tensors) {
    edges.push_back(tensor->defined() && tensor->requires_grad() ? gradient_edge(*tensor) : Edge());
  }
  return edges;
}

}  // namespace gradlab
