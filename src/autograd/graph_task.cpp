#include "src/autograd/graph_task.h"

#include <utility>

#include "src/autograd/anomaly.h"
#include "src/autograd/grad_mode.h"
#include "src/autograd/hooks.h"
#include "src/autograd/observer.h"
#include "src/autograd/engine_ops.h"
#include "src/tensor/messages.h"
#include "src/tensor/tensor_impl.h"

namespace gradlab {

namespace {

constinit thread_local std::uint64_t last_task_id = 0;
constinit thread_local GraphTask* innermost = nullptr;

Tensor accumulate(Tensor&& before, const Tensor& gradient) {
  if (GradMode::is_enabled() || !is_private(before)) return before + gradient;
  before.add_(gradient);
  return std::move(before);
}

}  // namespace

GraphTask::GraphTask(bool keep_graph, bool create_graph)
    : id_(++last_task_id), keep_graph_(keep_graph), create_graph_(create_graph), outer_(std::exchange(innermost, this)) {}

GraphTask::~GraphTask() {
  for (Displaced& displaced : displaced_) displaced.node->scratch_ = std::move(displaced.scratch);
  innermost = outer_;
}

bool GraphTask::should_execute(const Node& node) {
  if (innermost == nullptr || !innermost->selective_) return true;
  return innermost->knows(node) && (node.scratch_.should_execute || node.scratch_.is_captured);
}

void GraphTask::mark_needed(Node& node) {
  innermost->visit(node);
  node.scratch_.should_execute = true;
}

bool GraphTask::is_selective() { return innermost != nullptr && innermost->selective_; }

const Node* GraphTask::running_node() { return innermost == nullptr ? nullptr : innermost->running_; }

void GraphTask::visit(Node& node) {
  if (knows(node)) return;
  bool is_awaited = false;
  for (const GraphTask* task = outer_; task != nullptr; task = task->outer_) is_awaited = is_awaited || task->knows(node);
  if (is_awaited) displaced_.push_back({&node, std::move(node.scratch_)});
  node.scratch_ = {};
  node.scratch_.task_id = id_;
}

void GraphTask::count_dependencies(const EdgeList& roots) {
  std::vector<Node*> open;
  for (const Edge& root : roots) {
    if (knows(*root.function)) continue;
    visit(*root.function);
    open.push_back(root.function.get());
  }
  while (!open.empty()) {
    Node& node = *open.back();
    open.pop_back();
    for (const Edge& edge : node.next_edges()) {
      if (!edge.is_valid()) continue;
      Node& next = *edge.function;
      if (!knows(next)) {
        visit(next);
        open.push_back(&next);
      }
      ++next.scratch_.dependencies;
    }
  }
}

void GraphTask::select_needed(const EdgeList& roots, const EdgeList& outputs, bool accumulate_grad) {
  selective_ = true;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    Node& node = *outputs[i].function;
    visit(node);
    if (accumulate_grad) {
      node.scratch_.should_execute = true;
    } else {
      node.scratch_.is_captured = true;
      captures_.push_back({&node, outputs[i].input_nr, i});
    }
  }
  captured_.resize(accumulate_grad ? 0 : outputs.size());

  // A node is needed if one that follows it is: visited in post-order with a stack of (node, next edge to look at).
  struct Frame {
    Node* node;
    std::size_t edge;
  };
  std::vector<Frame> stack;
  const auto enter = [&](Node& node) {
    if (node.scratch_.is_selected) return;
    node.scratch_.is_selected = true;
    stack.push_back({&node, 0});
  };
  for (const Edge& root : roots) {
    enter(*root.function);
    while (!stack.empty()) {
      Frame& frame = stack.back();
      if (frame.edge < frame.node->next_edges().size()) {
        const Edge& edge = frame.node->next_edges()[frame.edge++];
        if (edge.is_valid()) enter(*edge.function);
        continue;
      }
      for (const Edge& edge : frame.node->next_edges()) {
        if (edge.is_valid() && should_execute(*edge.function)) frame.node->scratch_.should_execute = true;
      }
      stack.pop_back();
    }
  }
}

void GraphTask::deliver(const Edge& edge, Tensor&& gradient) {
  Node& node = *edge.function;
  const bool is_ready = --node.scratch_.dependencies == 0;
  if (selective_ && !should_execute(node) && &node != only_root_) return;
  TensorList& grads = node.scratch_.grads;
  if (grads.empty()) grads.resize(node.num_inputs());
  if (gradient.defined()) {
    Tensor& slot = grads[edge.input_nr];
    slot = slot.defined() ? accumulate(std::move(slot), gradient) : std::move(gradient);
  }
  if (is_ready) ready_.push(&node);
}

TensorList GraphTask::call(Node& node, TensorList&& grads) {
  NodeHooks* hooks = node.hooks_if_any();
  if (hooks == nullptr) [[likely]] {
    TensorList outputs = node.apply(std::move(grads));
    validate_gradients(node.next_edges(), outputs, &node);
    return outputs;
  }
  // Copies: a hook may register others, which run the next time.
  for (const auto pre = hooks->pre; const auto& hook : pre) {
    if (auto replaced = hook(grads)) grads = std::move(*replaced);
  }
  const TensorList arrived = hooks->post.empty() ? TensorList() : grads;
  TensorList outputs = node.apply(std::move(grads));
  validate_gradients(node.next_edges(), outputs, &node);
  for (const auto post = hooks->post; const auto& hook : post) {
    if (auto replaced = hook(outputs, arrived)) outputs = std::move(*replaced);
  }
  return outputs;
}

inline TensorList GraphTask::run_node(Node& node, TensorList&& grads) {
  TensorList outputs = call(node, std::move(grads));
  grads.clear();
  if (!keep_graph_) node.release_variables();
  return outputs;
}

TensorList GraphTask::run_observed(Node& node, TensorList&& grads, Observer& observer) {
  observer.runs(node, grads);
  TensorList outputs = call(node, std::move(grads));
  grads.clear();
  observer.ran(node, outputs);
  if (!keep_graph_) {
    node.release_variables();
    observer.freed(node);
  }
  return outputs;
}

void GraphTask::evaluate(Node& node) {
  TensorList grads = std::move(node.scratch_.grads);
  running_ = &node;
  run_tensor_pre_hooks(node, grads);
  if (selective_) {
    if (node.scratch_.is_captured) {
      for (const Capture& capture : captures_) {
        if (capture.node == &node) captured_[capture.output] = grads[capture.input_nr];
      }
    }
    if (!node.scratch_.should_execute) return;
  }
  Observer* const observer = Observer::current();
  TensorList outputs = observer == nullptr ? run_node(node, std::move(grads)) : run_observed(node, std::move(grads), *observer);
  if (AnomalyMode::is_enabled() && AnomalyMode::checks_nan()) check_nan(node, outputs);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const Edge& edge = node.next_edges()[i];
    if (edge.is_valid()) deliver(edge, std::move(outputs[i]));
  }
}

TensorList GraphTask::run(const EdgeList& roots, TensorList gradients, const EdgeList& outputs, bool accumulate_grad) {
  validate_gradients(roots, gradients, nullptr);
  const GradModeGuard grad_mode(create_graph_);
  count_dependencies(roots);
  if (!outputs.empty()) select_needed(roots, outputs, accumulate_grad);
  if (roots.size() == 1) only_root_ = roots[0].function.get();
  // Each root waits for its seed as for one more gradient, so that a root that another root leads to runs once.
  for (const Edge& root : roots) ++root.function->scratch_.dependencies;
  try {
    // The seeds stay the caller's: nobody takes them over or adds to them.
    for (std::size_t i = 0; i < roots.size(); ++i) deliver(roots[i], Tensor(gradients[i]));
    while (!ready_.empty()) {
      Node* node = ready_.top();
      ready_.pop();
      evaluate(*node);
    }
  } catch (...) {
    if (AnomalyMode::is_enabled() && running_ != nullptr) warn_where_made(*running_);
    forget(roots);
    throw;
  }
  return std::move(captured_);
}

// After an error: gradients that waited for nodes that will not run are let go.
void GraphTask::forget(const EdgeList& roots) {
  std::vector<Node*> open;
  const auto enter = [&](Node& node) {
    if (!knows(node)) return;
    node.scratch_ = {};
    open.push_back(&node);
  };
  for (const Edge& root : roots) enter(*root.function);
  while (!open.empty()) {
    Node& node = *open.back();
    open.pop_back();
    for (const Edge& edge : node.next_edges()) {
      if (edge.is_valid()) enter(*edge.function);
    }
  }
}

namespace {

// Makes `gradient` what the edge expects, or throws.
void fit(Tensor& gradient, const InputMetadata& expected, const Node* node, std::size_t index) {
  const auto name = [node] { return node == nullptr ? std::string() : node->name(); };
  if (gradient.shape() != expected.shape) {
    if (!is_expandable_to(expected.shape, gradient.shape())) {
      throw messages::invalid_gradient_shape(name(), index, gradient.shape(), expected.shape);
    }
    gradient = sum_to(gradient, expected.shape);
  }
  if (gradient.dtype() != expected.dtype) gradient = gradient.to(expected.dtype);
  if (gradient.device() != expected.device) {
    if (gradient.dim() != 0) throw messages::invalid_gradient_device(name(), index, expected.device, gradient.device());
    gradient = gradient.to(expected.device);
  }
}

}  // namespace

void validate_gradients(const EdgeList& edges, TensorList& gradients, const Node* node) {
  for (std::size_t i = 0; i < edges.size() && i < gradients.size(); ++i) {
    Tensor& gradient = gradients[i];
    const Edge& edge = edges[i];
    if (!gradient.defined() || !edge.is_valid()) continue;
    const InputMetadata& expected = edge.function->input_metadata(edge.input_nr);
    if (!expected.is_undefined && !expected.fits(gradient)) fit(gradient, expected, node, i);
  }
}

}  // namespace gradlab
