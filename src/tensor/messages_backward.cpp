// The texts about requires_grad, gradients and backward.
#include "src/tensor/message_text.h"

namespace gradlab::messages {

// ---- requires_grad and grad ----

Error only_floating_can_require_grad() { return runtime_error("only Tensors of floating point dtype can require gradients"); }

Error factory_only_floating_can_require_grad() {
  return runtime_error("Only Tensors of floating point and complex dtype can require gradients");
}

Error requires_grad_of_non_leaf() {
  return runtime_error(
      "you can only change requires_grad flags of leaf variables. If you want to use a computed variable in a subgraph that "
      "doesn't require differentiation use var_no_grad = var.detach().");
}

Error inference_requires_grad() {
  return runtime_error("Setting requires_grad=True on inference tensor outside InferenceMode is not allowed.");
}

Error inference_saved() {
  return runtime_error(
      "Inference tensors cannot be saved for backward. Please do not use Tensors created in inference mode in computation tracked "
      "by autograd. To work around this, you can make a clone to get a normal tensor and use it in autograd, or use "
      "`torch.no_grad()` instead of `torch.inference_mode()`.");
}

Error inference_version() { return runtime_error("Inference tensors do not track version counter."); }

Error retain_grad_without_requires_grad() {
  return runtime_error("can't retain_grad on Tensor that has requires_grad=False");
}

Error grad_size(ShapeView grad, ShapeView tensor) {
  return runtime_error(
      "attempting to assign a gradient of size '{}' to a tensor of size '{}'. Please ensure that the gradient and the tensor are "
      "the same size",
      format_size(grad), format_size(tensor));
}

Error grad_dtype(DType grad, DType tensor) {
  return runtime_error(
      "attempting to assign a gradient with dtype '{}' to a tensor with grad_dtype '{}'. The gradient must match the tensor's "
      "grad_dtype (defaults to the tensor's dtype). You can set the tensor's grad_dtype attribute with a specific dtype, or None to "
      "allow any dtype. Set grad_dtype with caution. Diverging the dtypes of a tensor and its gradient may break downstream systems "
      "that assume they match.",
      cpp_name(grad), scalar_name(tensor));
}

Error grad_device(Device grad, Device tensor) {
  return runtime_error(
      "attempting to assign a gradient with device type '{}' to a tensor with device type '{}'. Please ensure that the gradient and "
      "the tensor are on the same device",
      device_type(grad), device_type(tensor));
}

Error grad_is_itself() { return runtime_error("can't assign Variable as its own grad"); }

// ---- backward ----

Error implicit_gradient() { return runtime_error("grad can be implicitly created only for scalar outputs"); }

Error implicit_gradient_dtype(DType dtype) {
  return runtime_error("grad can be implicitly created only for real scalar outputs but got {}", torch_name(dtype));
}

Error no_grad_fn(std::size_t index) {
  return runtime_error("element {} of tensors does not require grad and does not have a grad_fn", index);
}

Error gradient_shape_mismatch(std::size_t gradient_index, ShapeView gradient, std::size_t output_index, ShapeView output) {
  return runtime_error("Mismatch in shape: grad_output[{}] has a shape of {} and output[{}] has a shape of {}.", gradient_index,
                       torch_size(gradient), output_index, torch_size(output));
}

Error ambiguous_truth(std::int64_t numel) {
  return numel == 0 ? runtime_error("Boolean value of Tensor with no values is ambiguous")
                    : runtime_error("Boolean value of Tensor with more than one value is ambiguous");
}

Error gradient_count(std::size_t tensors, std::size_t gradients) {
  return runtime_error("got {} tensors and {} gradients", tensors, gradients);
}

Error leaf_moved() { return runtime_error("leaf variable has been moved into the graph interior"); }

Error unused_input(std::size_t index) {
  return runtime_error(
      "The differentiated Tensor at index {} appears to not have been used in the graph. Set allow_unused=True if this is the "
      "desired behavior.",
      index);
}

Error input_does_not_require_grad() { return runtime_error("One of the differentiated Tensors does not require grad"); }

Error empty_inputs(bool grad) {
  return runtime_error("`inputs` argument to `{}()` cannot be empty.", grad ? "grad" : "backward");
}

Error hook_without_grad() { return runtime_error("cannot register a hook on a tensor that doesn't require gradient"); }

Error post_hook_of_non_leaf() {
  return runtime_error("post accumulate grad hooks cannot be registered on non-leaf tensors");
}

Error hook_changed_size(std::string_view hook) { return runtime_error("hook '{}' has changed the size of value", hook); }

Error hook_changed_type(std::string_view hook, std::string_view was, std::string_view got) {
  return runtime_error("hook '{}' has changed the type of value (was {} got {})", hook, was, got);
}

Error hook_replaced_none() { return runtime_error("can't replace a None gradient with a non-None value"); }

Error hook_value_count(std::string_view hook, std::size_t got, std::size_t expected) {
  return runtime_error("hook '{}' has returned an incorrect number of values (got {}, but expected {})", hook, got, expected);
}

Error nan_gradient(std::string_view node, std::size_t output) {
  return runtime_error("Function '{}' returned nan values in its {}th output.", node, output);
}

const char* const kNonLeafGrad =
    "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its .grad attribute won't be populated during "
    "autograd.backward(). If you indeed want the .grad field to be populated for a non-leaf Tensor, use .retain_grad() on the "
    "non-leaf Tensor. If you access the non-leaf Tensor by mistake, make sure you access the leaf Tensor instead. See "
    "github.com/pytorch/pytorch/pull/30531 for more information.";

const char* const kCreateGraphCycle =
    "Using backward() with create_graph=True will create a reference cycle between the parameter and its gradient which can cause a "
    "memory leak. We recommend using autograd.grad when creating the graph to avoid this. If you have to use this function, make sure "
    "to reset the .grad fields of your parameters to None after use to break the cycle and avoid the leak.";

const char* const kAnomalyEnabled =
    "Anomaly Detection has been enabled. This mode will increase the runtime and should only be enabled for debugging.";

std::string anomaly_traceback(std::string_view node, std::string_view lines) {
  return fmt::format("Error detected in {}. Traceback of forward call that caused the error:\n{}", node, lines);
}

std::string anomaly_no_traceback(std::string_view node) {
  return fmt::format(
      "Error detected in {}. No forward pass information available. Enable detect anomaly during forward pass for more information.",
      node);
}

std::string anomaly_induced(std::string_view node, std::string_view lines) {
  return fmt::format(
      "\n\nPrevious calculation was induced by {}. Traceback of forward call that induced the previous calculation:\n{}", node,
      lines);
}

}  // namespace gradlab::messages
