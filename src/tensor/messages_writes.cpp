// The texts about writes in place and what they do to saved tensors.
#include "src/tensor/message_text.h"
#include "src/tensor/tensor_impl.h"

namespace gradlab::messages {

namespace {

// PyTorch 2.13 leaves "Backward" and then "0" off a node's name in two texts: section 2.3 of its semantics.
std::string_view short_node_name(std::string_view name) {
  constexpr std::string_view kSuffix = "Backward";
  std::size_t end = name.size();
  while (end > 0 && name[end - 1] >= '0' && name[end - 1] <= '9') --end;
  if (!name.substr(0, end).ends_with(kSuffix)) return name;
  return name.substr(0, end - kSuffix.size());
}

std::string short_name(std::string_view name) {
  const std::string_view stem = short_node_name(name);
  if (stem.size() == name.size()) return std::string(name);
  const std::string_view digits = name.substr(stem.size() + std::string_view("Backward").size());
  return std::string(stem) + (digits == "0" ? "" : std::string(digits));
}

}  // namespace

// ---- in-place writes ----

Error leaf_in_place() {
  return runtime_error("a leaf Variable that requires grad is being used in an in-place operation.");
}

Error view_of_leaf_in_place() {
  return runtime_error("a view of a leaf Variable that requires grad is being used in an in-place operation.");
}

Error leaf_modified_by_function() {
  return runtime_error("a leaf Variable that requires grad has been used in an in-place operation.");
}

Error internal_overlap() {
  return runtime_error(
      "unsupported operation: more than one element of the written-to tensor refers to a single memory location. Please clone() "
      "the tensor before performing the operation.");
}

Error partial_overlap() {
  return runtime_error(
      "unsupported operation: some elements of the input tensor and the written-to tensor refer to a single memory location. "
      "Please clone() the tensor before performing the operation.");
}

Error view_in_place(std::string_view node, std::uint32_t output_nr, bool indirect, CreationMeta creation_meta) {
  const char* modified = indirect ? "its base or another view of its base has been" : "is being";
  const bool inference = creation_meta == CreationMeta::kInferenceMode;
  std::string text;
  if (inference || creation_meta == CreationMeta::kNoGradMode || node.empty()) {
    text = node.empty() ? "A view was created in"
                        : fmt::format("Output {} of {} is a view of a view which was created in", output_nr, short_name(node));
    text += inference ? fmt::format(" inference mode and {} modified inplace in normal mode.", modified)
                      : fmt::format(" no_grad mode and {} modified inplace with grad mode enabled.", modified);
  } else {
    text = fmt::format("Output {} of {} is a view and {} modified inplace.", output_nr, short_name(node), modified);
  }
  switch (creation_meta) {
    case CreationMeta::kDefault: break;
    case CreationMeta::kInCustomFunction:
      text +=
          " This view was created inside a custom Function (or because an input was returned as-is) and the autograd logic to "
          "handle view+inplace would override the custom backward associated with the custom Function, leading to incorrect "
          "gradients. This behavior is forbidden. You can fix this by cloning the output of the custom Function.";
      break;
    case CreationMeta::kMultiOutputNode:
      text +=
          " This view is the output of a function that returns multiple views. Such functions do not allow the output views to be "
          "modified inplace. You should replace the inplace operation by an out-of-place one.";
      break;
    case CreationMeta::kNoGradMode:
    case CreationMeta::kInferenceMode:
      text += fmt::format(
          " Given that this use case is ambiguous and error-prone, it is forbidden. You can clarify your code by moving both the "
          "view and the inplace either both inside the {0} block (if you don't want the inplace to be tracked) or both outside (if "
          "you want the inplace to be tracked).",
          inference ? "inference_mode" : "no_grad");
      break;
  }
  return Error(ErrorType::kRuntimeError, text);
}

Error detach_view_in_place() {
  return runtime_error(
      "Can't detach views in-place. Use detach() instead. If you are using DistributedDataParallel (DDP) for training, and "
      "gradient_as_bucket_view is set as True, gradients are views of DDP buckets, and hence detach_() cannot be called on these "
      "gradients. To fix this error, please refer to the Optimizer.zero_grad() function in torch/optim/optimizer.py as the "
      "solution.");
}

Error inference_in_place() {
  return runtime_error(
      "Inplace update to inference tensor outside InferenceMode is not allowed.You can make a clone to get a normal tensor before "
      "doing inplace update.See https://github.com/pytorch/rfcs/pull/17 for more details.");
}

// ---- saved tensors ----

Error saved_version(std::string_view tensor_type, ShapeView shape, std::string_view node, std::uint32_t output_nr,
                    std::uint32_t now, std::uint32_t saved, bool anomaly_mode) {
  const std::string which = node.empty() ? "" : fmt::format(", which is output {} of {},", output_nr, short_name(node));
  return runtime_error(
      "one of the variables needed for gradient computation has been modified by an inplace operation: [{} {}]{} is at version {}; "
      "expected version {} instead. Hint: {}",
      tensor_type, format_size(shape), which, now, saved,
      anomaly_mode ? "the backtrace further above shows the operation that failed to compute its gradient. The variable in question "
                     "was changed in there or anywhere later. Good luck!"
                   : "enable anomaly detection to find the operation that failed to compute its gradient, with "
                     "torch.autograd.set_detect_anomaly(True, check_nan=False).");
}

Error freed() {
  return runtime_error(
      "Trying to backward through the graph a second time (or directly access saved tensors after they have already been freed). "
      "Saved intermediate values of the graph are freed when you call .backward() or autograd.grad(). Specify retain_graph=True if "
      "you need to backward through the graph a second time or if you need to access saved tensors after calling backward.");
}

Error saved_detached_in_place() {
  return runtime_error(
      "Trying to use a saved tensor that has been detached in-place, i.e. with .detach_().This is not supported, please use "
      "out-of-place `.detach()` instead");
}

Error pack_hook_modified_input() {
  return runtime_error(
      "A saved tensor pack hook is modifying its input in place. Tensors provided as input to pack hook cannot be modified by "
      "in-place operations as this can lead to unexpected side-effects. Please open an issue if you need to perform in-place "
      "operations on the input to a pack hook.");
}

}  // namespace gradlab::messages
