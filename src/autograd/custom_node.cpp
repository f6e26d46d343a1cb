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

CustomNode::CustomNode(std::string_view class_name, Backward backward, BackwardFunction run_time_backward)
    : class_name_(class_name), backward_(backward), run_time_backward_(std::move(run_time_backward)) {
  ctx_.node_ = this;
}

void CustomNode::set_arguments(const TensorList& arguments) {
  for (const Tensor& argument : arguments) {
    is_tensor_argument_.push_back(argument.defined());
    ctx_.needs_input_grad_.push_back(argument.defined() && argument.requires_grad());
  }
}

TensorList CustomNode::apply(TensorList&& grad_outputs) {
  if (ctx_.materialize_grads_) {
    for (std::uint32_t i = 0; i < num_inputs(); ++i) {
      const InputMetadata& output = input_metadata(i);
      if (grad_outputs[i].defined() || output.is_not_a_tensor) continue;
      grad_outputs[i] = zeros(output.shape, {.dtype = output.dtype, .device = output.device});
    }
  }
  TensorList results = backward_(*this, ctx_, grad_outputs);

  const std::size_t expected = is_tensor_argument_.size();
  bool only_undefined_are_extra = results.size() >= expected;
  for (std::size_t i = expected; i < results.size(); ++i) only_undefined_are_extra &= !results[i].defined();
  if (!only_undefined_are_extra) throw messages::wrong_gradient_count(name(), expected, results.size());

  TensorList grads;
  for (std::size_t i = 0; i < expected; ++i) {
    if (is_tensor_argument_[i]) {
      grads.push_back(ctx_.needs_input_grad_[i] ? std::move(results[i]) : Tensor());
    } else if (results[i].defined()) {
      throw messages::gradient_for_non_tensor(name(), i + 1);
    }
  }
  return grads;
}

void CustomNode::release_variables() {
  saved_.clear();
  has_freed_ = true;
}

TensorList CustomNode::unpack_saved() {
  if (has_freed_) throw messages::freed();
  TensorList tensors;
  const Ref<Node> self = Ref<Node>::share(this);
  for (const SavedTensor& saved : saved_) tensors.push_back(saved.unpack(self));
  return tensors;
}

// One output's way into the graph, first match: section 3.5 of PyTorch's semantics.
Tensor CustomNode::wrap_output(Tensor output, std::uint32_t output_nr, std::size_t num_outputs, const TensorList& arguments,
                               bool is_executable) {
  const bool is_input = contains(arguments, output);
  const bool is_dirty = contains(ctx_.dirty_, output);
  const bool is_differentiable =
      is_executable && !contains(ctx_.non_differentiable_, output) && is_floating_point(output.dtype());
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
    check_inplace(output, true);
    if (!is_input) warn(messages::kDirtyNotAnInput);
    if (output.is_view() && num_outputs > 1) throw messages::dirty_view_several_outputs();
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
  std::size_t num_differentiable = 0;
  TensorList raw = outputs;
  for (std::uint32_t i = 0; i < outputs.size(); ++i) {
    if (!outputs[i].defined()) {
      if (is_executable) add_undefined_input({});
      continue;
    }
    const bool was_differentiable = is_executable && !contains(ctx_.non_differentiable_, outputs[i]) &&
                                    is_floating_point(outputs[i].dtype());
    outputs[i] = wrap_output(outputs[i], i, outputs.size(), arguments, is_executable);
    num_differentiable += was_differentiable ? 1 : 0;
  }
  if (num_differentiable > 1) {
    for (const Tensor& output : outputs) {
      if (output.defined() && output.is_view()) output.impl()->view()->creation_meta = CreationMeta::kMultiOutputNode;
    }
  }
  for (const Tensor& dirty : ctx_.dirty_) {
    if (!contains(raw, dirty)) throw messages::dirty_not_returned();
  }
  return outputs;
}

void CustomNode::save_variables(const TensorList& outputs) {
  const Ref<Node> self = Ref<Node>::share(this);
  for (const Tensor& tensor : ctx_.to_save_) {
    const bool is_output = tensor.defined() && tensor.impl()->grad_fn == self;
    saved_.emplace_back(tensor, is_output);
  }
  ctx_.to_save_.clear();
  for (auto& [name, value] : ctx_.saved_data) value.keep_output_weakly(outputs);
}

FunctionCall::FunctionCall(std::string_view class_name, TensorList arguments, CustomNode::Backward backward,
                           BackwardFunction run_time_backward)
    : node_(make_ref<CustomNode>(class_name, backward, std::move(run_time_backward))), arguments_(std::move(arguments)) {
  node_->set_arguments(arguments_);
  is_executable_ = false;
  if (!GradMode::is_enabled()) return;
  EdgeList edges;
  for (const Tensor& argument : arguments_) {
    if (!argument.defined()) continue;
    const bool requires_grad = argument.requires_grad();
    is_executable_ = is_executable_ || requires_grad;
    edges.push_back(requires_grad ? gradient_edge(argument) : Edge());
  }
  if (is_executable_) node_->set_next_edges(std::move(edges));
}

FunctionCall::~FunctionCall() = default;

Context& FunctionCall::ctx() { return node_->ctx(); }

TensorList FunctionCall::finish(TensorList outputs) {
  for (const Tensor& dirty : node_->ctx().dirty_) increment_version(dirty);
  TensorList wrapped = node_->wrap_outputs(arguments_, std::move(outputs), is_executable_);
  if (is_executable_) node_->save_variables(wrapped);
  return wrapped;
}

TensorList RuntimeFunction::apply(const TensorList& arguments) const {
  FunctionCall call(
      class_name, arguments,
      [](CustomNode& node, Context& ctx, const TensorList& grad_outputs) {
        return node.run_time_backward()(ctx, grad_outputs);
      },
      backward);
  return call.finish(call.run([&](Context& ctx) { return forward(ctx, arguments); }));
}

}  // namespace gradlab
