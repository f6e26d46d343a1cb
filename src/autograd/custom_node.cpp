#include "src/autograd/custom_node.h"

#include "src/autograd/accumulate_grad.h"
#include "src/autograd/engine.h"
#include "src/autograd/inplace.h"
#include "src/autograd/view.h"
#include "src/tensor/messages.h"
#include "src/tensor/tensor_impl.h"
#include "src/tensor/warning.h"

namespace gradlab {

namespace {

bool contains(const TensorList& list, const Tensor& tensor) {
  return std::ranges::any_of(list, [&](const Tensor& t) { return t.is_same(tensor); });
}

Tensor view_as_self(const Tensor& tensor) {
  const NoGradGuard no_grad;
  return tensor.view_as(tensor);
}

}  // namespace

CustomNode::CustomNode(std::shared_ptr<const FunctionType> type) : type_(std::move(type)) {
  ctx_.node_ = this;
  ctx_.state_ = Context::State::kForward;
}

bool CustomNode::set_arguments(const TensorList& arguments) {
  EdgeList edges;
  bool any_requires_grad = false;
  for (const Tensor& argument : arguments) {
    const bool requires_grad = argument.defined() && argument.requires_grad();
    ctx_.arguments_.push_back({argument.defined(), requires_grad});
    any_requires_grad = any_requires_grad || requires_grad;
    if (argument.defined()) edges.push_back(requires_grad && GradMode::is_enabled() ? gradient_edge(argument) : Edge());
  }
  if (!any_requires_grad || !GradMode::is_enabled()) return false;
  set_next_edges(std::move(edges));
  return true;
}

bool CustomNode::is_dirty(const Tensor& tensor) const { return ctx_.marks_ && contains(ctx_.marks_->dirty, tensor); }

bool CustomNode::is_differentiable(const Tensor& output) const {
  return is_floating_point(output.dtype()) && !(ctx_.marks_ && contains(ctx_.marks_->non_differentiable, output));
}

void CustomNode::forget_marks() { ctx_.marks_.reset(); }

void CustomNode::bump_dirty() const {
  if (!ctx_.marks_) return;
  for (const Tensor& dirty : ctx_.marks_->dirty) increment_version(dirty);
}

TensorList CustomNode::apply(TensorList&& grad_outputs) {
  if (ctx_.materialize_grads_) {
    for (std::uint32_t i = 0; i < num_inputs(); ++i) {
      const InputMetadata& output = input_metadata(i);
      if (grad_outputs[i].defined() || output.is_not_a_tensor) continue;
      grad_outputs[i] = zeros(output.shape, {.dtype = output.dtype, .device = output.device});
      grad_outputs[i].impl()->version.bump();  // in PyTorch zeros are filled in place, which counts
    }
  }
  TensorList results = type_->backward(*type_, ctx_, grad_outputs);

  const std::size_t expected = ctx_.arguments_.size();
  bool only_undefined_are_extra = results.size() >= expected;
  for (std::size_t i = expected; i < results.size(); ++i) only_undefined_are_extra &= !results[i].defined();
  if (!only_undefined_are_extra) throw messages::wrong_gradient_count(name(), expected, results.size());

  // In place: the list of gradients has one entry per tensor argument only.
  std::size_t kept = 0;
  for (std::size_t i = 0; i < expected; ++i) {
    if (ctx_.arguments_[i].is_tensor) {
      if (!ctx_.arguments_[i].needs_grad) results[i] = Tensor();
      if (kept != i) results[kept] = std::move(results[i]);
      ++kept;
    } else if (results[i].defined()) {
      throw messages::gradient_for_non_tensor(name(), i + 1);
    }
  }
  results.resize(kept);
  return results;
}

void CustomNode::release_variables() {
  ctx_.saved_.clear();
  ctx_.state_ = Context::State::kFreed;
}

// One output's way into the graph, first match: section 3.5 of PyTorch's semantics.
Tensor CustomNode::wrap_output(Tensor output, std::uint32_t output_nr, std::size_t num_outputs, const TensorList& arguments,
                               bool is_differentiable, bool is_executable) {
  const bool is_input = contains(arguments, output);
  const bool is_dirty = this->is_dirty(output);
  const Ref<Node> self = Ref<Node>::share(this);
  if (is_executable) is_differentiable ? add_input_metadata(output) : add_undefined_input(output);

  if (!is_differentiable) {
    if (!output.requires_grad()) {
      if (is_input && !is_dirty) output = view_as_self(output);
    } else if (is_input) {
      output = output.detach();
    } else if (!output.is_view()) {
      output.detach_();
    }
  } else if (is_dirty) {
    if (!output.impl()->grad_fn && output.requires_grad()) throw messages::leaf_modified_by_function();
    if (!is_input) warn(messages::kDirtyNotAnInput);
    if (output.is_view() && num_outputs > 1) throw messages::dirty_view_several_outputs();
    check_inplace(output, true);
    if (AutogradExtras* extras = output.impl()->extras.get()) {
      extras->grad = Tensor();
      extras->hooks.reset();
      if (const Ref<Node> accumulator = extras->grad_accumulator.lock()) {
        static_cast<AccumulateGrad&>(*accumulator).forget_variable();
      }
    }
    rebase_history(output, self, output_nr);
  } else {
    if (is_input) output = view_as_self(output);
    set_gradient_edge(output, self, output_nr);
  }

  if (!(is_input && is_dirty) && output.is_view()) output.impl()->view()->creation_meta = CreationMeta::kInCustomFunction;
  return output;
}

TensorList CustomNode::wrap_outputs(const TensorList& arguments, TensorList outputs, bool is_executable) {
  const TensorList raw = ctx_.marks_ ? outputs : TensorList();
  std::size_t num_differentiable = 0;
  for (std::uint32_t i = 0; i < outputs.size(); ++i) {
    if (!outputs[i].defined()) {
      if (is_executable) add_undefined_input({});
      continue;
    }
    const bool differentiable = is_executable && is_differentiable(outputs[i]);
    outputs[i] = wrap_output(std::move(outputs[i]), i, outputs.size(), arguments, differentiable, is_executable);
    if (differentiable) ++num_differentiable;
  }
  if (num_differentiable > 1) {
    for (const Tensor& output : outputs) {
      if (output.defined() && output.is_view()) output.impl()->view()->creation_meta = CreationMeta::kMultiOutputNode;
    }
  }
  if (ctx_.marks_) {
    for (const Tensor& dirty : ctx_.marks_->dirty) {
      if (!contains(raw, dirty)) throw messages::dirty_not_returned();
    }
  }
  return outputs;
}

void CustomNode::save_variables(const TensorList& outputs) {
  for (SavedTensor& saved : ctx_.saved_) {
    const Tensor tensor = saved.data();
    const bool is_output = tensor.defined() && (tensor.impl()->grad_fn.get() == this || contains(outputs, tensor));
    saved = SavedTensor(*this, tensor, is_output);
  }
  if (ctx_.saved_data.entries_) {
    for (auto& [attribute, value] : *ctx_.saved_data.entries_) value.record(*this, attribute, outputs);
  }
  ctx_.state_ = Context::State::kRecorded;
}

FunctionCall::FunctionCall(std::shared_ptr<const FunctionType> type, TensorList arguments)
    : node_(make_ref<CustomNode>(std::move(type))),
      arguments_(std::move(arguments)),
      is_executable_(node_->set_arguments(arguments_)) {}

FunctionCall::~FunctionCall() = default;

Context& FunctionCall::ctx() { return node_->ctx(); }

void FunctionCall::report(const TensorList& outputs) const {
  Observer* observer = Observer::current();
  if (observer == nullptr) return;
  for (const Tensor& output : outputs) {
    observer->takes(arguments_);  // once for each: it speaks of what is made next
    if (output.defined()) observer->created(output, Origin::kOp, node_->class_name(), is_executable_ ? node_.get() : nullptr, {});
  }
}

TensorList FunctionCall::finish(TensorList outputs) {
  node_->bump_dirty();
  TensorList wrapped = node_->wrap_outputs(arguments_, std::move(outputs), is_executable_);
  if (Observer::current() != nullptr) [[unlikely]] report(wrapped);
  if (is_executable_) node_->save_variables(wrapped);
  node_->forget_marks();
  return wrapped;
}

namespace {

struct RuntimeFunctionType : FunctionType {
  std::string name;
  BackwardFunction run_backward;
};

}  // namespace

TensorList RuntimeFunction::apply(const TensorList& arguments) const {
  auto type = std::make_shared<RuntimeFunctionType>();
  type->name = class_name;
  type->class_name = type->name;
  type->run_backward = backward;
  type->backward = [](const FunctionType& self, Context& ctx, const TensorList& grad_outputs) {
    return static_cast<const RuntimeFunctionType&>(self).run_backward(ctx, grad_outputs);
  };
  FunctionCall call(std::move(type), arguments);
  return call.finish(call.run([&](Context& ctx) { return forward(ctx, arguments); }));
}

}  // namespace gradlab
