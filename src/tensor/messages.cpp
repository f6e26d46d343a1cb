#include "src/tensor/messages.h"

#include <fmt/format.h>

#include "src/tensor/format.h"
#include "src/tensor/tensor_impl.h"

namespace gradlab {

const char* python_name(ErrorType type) {
  switch (type) {
    case ErrorType::kRuntimeError: return "RuntimeError";
    case ErrorType::kValueError: return "ValueError";
    case ErrorType::kIndexError: return "IndexError";
    case ErrorType::kTypeError: return "TypeError";
    case ErrorType::kNotImplementedError: return "NotImplementedError";
    case ErrorType::kGradcheckError: return "GradcheckError";
  }
  return "RuntimeError";
}

namespace messages {

namespace {

template <class... Args>
Error runtime_error(fmt::format_string<Args...> text, Args&&... args) {
  return Error(ErrorType::kRuntimeError, fmt::format(text, std::forward<Args>(args)...));
}

template <class... Args>
Error gradcheck_error(fmt::format_string<Args...> text, Args&&... args) {
  return Error(ErrorType::kGradcheckError, fmt::format(text, std::forward<Args>(args)...));
}

template <class... Args>
Error index_error(fmt::format_string<Args...> text, Args&&... args) {
  return Error(ErrorType::kIndexError, fmt::format(text, std::forward<Args>(args)...));
}

std::string sizes(ShapeView shape) { return format_size(shape); }

std::string dimensions(ShapeView shape) { return fmt::format("{}", fmt::join(shape, "x")); }

// The C++ type, as some texts name a dtype.
const char* cpp_name(DType dtype) {
  switch (dtype) {
    case DType::kFloat32: return "float";
    case DType::kFloat64: return "double";
    case DType::kInt32: return "int";
    case DType::kInt64: return "long int";
    case DType::kBool: return "bool";
  }
  return "";
}

const char* device_name(Device device) { return device == Device::kCpu ? "cpu" : "cuda:0"; }
const char* device_type(Device device) { return device == Device::kCpu ? "cpu" : "cuda"; }

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

// ---- shapes and dtypes ----

Error size_mismatch(std::int64_t a, std::int64_t b, std::int64_t dim) {
  return runtime_error("The size of tensor a ({}) must match the size of tensor b ({}) at non-singleton dimension {}", a, b,
                       dim);
}

Error output_shape_mismatch(ShapeView output, ShapeView broadcast) {
  return runtime_error("output with shape {} doesn't match the broadcast shape {}", sizes(output), sizes(broadcast));
}

Error invalid_view_shape(ShapeView shape, std::int64_t numel) {
  return runtime_error("shape '{}' is invalid for input of size {}", sizes(shape), numel);
}

Error incompatible_view() {
  return runtime_error(
      "view size is not compatible with input tensor's size and stride (at least one dimension spans across two contiguous "
      "subspaces). Use .reshape(...) instead.");
}

Error ambiguous_view_shape(ShapeView shape) {
  return runtime_error(
      "cannot reshape tensor of 0 elements into shape {} because the unspecified dimension size -1 can be any value and is "
      "ambiguous",
      sizes(shape));
}

Error only_one_dim_inferred() { return runtime_error("only one dimension can be inferred"); }

Error invalid_shape_dim(std::int64_t size, std::size_t dim, ShapeView shape) {
  return runtime_error("invalid shape dimension {} at index {} of shape {}", size, dim, sizes(shape));
}

Error dim_out_of_range(std::int64_t dim, std::int64_t range) {
  return index_error("Dimension out of range (expected to be in range of [{}, {}], but got {})", -range, range - 1, dim);
}

Error select_of_scalar() { return index_error("select() cannot be applied to a 0-dim tensor."); }

Error select_index_out_of_range(std::int64_t index, ShapeView shape, std::int64_t dim) {
  return index_error("select(): index {} out of range for tensor of size {} at dimension {}", index, sizes(shape), dim);
}

Error index_of_scalar() {
  return index_error(
      "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in C++ to convert a 0-dim tensor "
      "to a number");
}

Error index_out_of_range(std::int64_t index, std::int64_t dim, std::int64_t size) {
  return index_error("index {} is out of bounds for dimension {} with size {}", index, dim, size);
}

Error narrow_of_scalar() { return runtime_error("narrow() cannot be applied to a 0-dim tensor."); }

Error narrow_start_out_of_range(std::int64_t start, std::int64_t size) {
  return index_error("start out of range (expected to be in range of [{}, {}], but got {})", -size, size, start);
}

Error narrow_length_negative() { return runtime_error("narrow(): length must be non-negative."); }

Error narrow_exceeds(std::int64_t start, std::int64_t length, std::int64_t size) {
  return runtime_error("start ({}) + length ({}) exceeds dimension size ({}).", start, length, size);
}

Error t_needs_at_most_2d(std::int64_t dim) {
  return runtime_error("t() expects a tensor with <= 2 dimensions, but self is {}D", dim);
}

Error expand_fewer_dims(std::string_view tensor_type, ShapeView shape, ShapeView target) {
  return runtime_error(
      "expand({}{{{}}}, size={}): the number of sizes provided ({}) must be greater or equal to the number of dimensions in the "
      "tensor ({})",
      tensor_type, sizes(shape), sizes(target), target.size(), shape.size());
}

Error expand_mismatch(std::int64_t target_size, std::int64_t size, std::int64_t dim, ShapeView target, ShapeView shape) {
  return runtime_error(
      "The expanded size of the tensor ({}) must match the existing size ({}) at non-singleton dimension {}.  Target sizes: {}. "
      " Tensor sizes: {}",
      target_size, size, dim, sizes(target), sizes(shape));
}

Error expand_negative(std::int64_t target_size, std::int64_t dim) {
  return runtime_error("The expanded size of the tensor ({}) isn't allowed in a leading, non-existing dimension {}", target_size,
                       dim);
}

Error out_of_storage(ShapeView shape, ShapeView strides, std::int64_t offset, std::size_t item_bytes, std::size_t needed,
                     std::size_t available) {
  return runtime_error(
      "setStorage: sizes {}, strides {}, storage offset {}, and itemsize {} requiring a storage size of {} are out of bounds for "
      "storage of size {}",
      sizes(shape), sizes(strides), offset, item_bytes, needed, available);
}

Error stride_count() { return runtime_error("mismatch in length of strides and shape"); }

Error negative_stride(ShapeView strides) {
  return runtime_error("as_strided: Negative strides are not supported at the moment, got strides: {}", sizes(strides));
}

Error negative_offset(std::int64_t offset) { return runtime_error("Tensor: invalid storage offset {}", offset); }

Error strided_size_overflow(ShapeView shape, ShapeView strides) {
  return runtime_error("Storage size calculation overflowed with sizes={} and strides={}", sizes(shape), sizes(strides));
}

Error uncountable_elements() { return runtime_error("numel: integer multiplication overflow"); }

Error matmul_needs_1d(std::int64_t a, std::int64_t b) {
  return runtime_error("both arguments to matmul need to be at least 1D, but they are {}D and {}D", a, b);
}

Error dot_size_mismatch(std::int64_t a, std::int64_t b) {
  return runtime_error(
      "inconsistent tensor size, expected tensor [{}] and src [{}] to have the same number of elements, but got {} and {} elements "
      "respectively",
      a, b, a, b);
}

Error mv_size_mismatch(ShapeView matrix, std::int64_t vector) {
  return runtime_error("size mismatch, got input ({}), mat ({}), vec ({})", matrix[0], dimensions(matrix), vector);
}

Error mm_shape_mismatch(ShapeView a, ShapeView b) {
  return runtime_error("mat1 and mat2 shapes cannot be multiplied ({} and {})", dimensions(a), dimensions(b));
}

Error dot_dtype(DType a, DType b) {
  return runtime_error("dot : expected both vectors to have same dtype, but found {} and {}", scalar_name(a), scalar_name(b));
}

Error mm_dtype(DType a, DType b) {
  return runtime_error("expected m1 and m2 to have the same dtype, but got: {} != {}", cpp_name(a), cpp_name(b));
}

Error mv_dtype(DType matrix, DType vector) {
  return runtime_error("addmv input tensors must have the same dtype, but got {}, {}, and {}", scalar_name(vector),
                       scalar_name(matrix), scalar_name(vector));
}

Error matmul_rank(std::int64_t a, std::int64_t b) {
  return runtime_error("matmul here takes vectors and matrices, but the operands are {}D and {}D", a, b);
}

Error result_type_cast(DType from, DType to) {
  return runtime_error("result type {} can't be cast to the desired output type {}", scalar_name(from), scalar_name(to));
}

Error not_implemented_for(std::string_view kernel, DType dtype) {
  return Error(ErrorType::kNotImplementedError, fmt::format("\"{}\" not implemented for '{}'", kernel, scalar_name(dtype)));
}

Error relu_of_bool() { return runtime_error("Boolean inputs not supported for relu"); }

Error integer_to_negative_power() { return runtime_error("Integers to negative integer powers are not allowed."); }

Error bool_subtract(bool both) {
  if (both) {
    return runtime_error(
        "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or `logical_xor()` operator instead.");
  }
  return runtime_error(
      "Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to invert a mask, use the `~` or "
      "`logical_not()` operator instead.");
}

Error bool_negate() {
  return runtime_error(
      "Negation, the `-` operator, on a bool tensor is not supported. If you are trying to invert a mask, use the `~` or "
      "`logical_not()` operator instead.");
}

Error mean_dtype(DType dtype) {
  return runtime_error(
      "mean(): could not infer output dtype. Input dtype must be either a floating point or complex dtype. Got: {}",
      scalar_name(dtype));
}

Error reduce_empty(std::string_view name) {
  return runtime_error(
      "{}(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim with the 'dim' argument.",
      name);
}

Error where_needs_bool(DType dtype) {
  return runtime_error("where expected condition to be a boolean tensor, but got a tensor with dtype {}", scalar_name(dtype));
}

Error repeated_dim(std::int64_t dim) { return runtime_error("dim {} appears multiple times in the list of dims", dim); }

Error arange_bounds() { return runtime_error("upper bound and lower bound inconsistent with step sign"); }

Error fill_needs_scalar(std::int64_t dim) {
  return runtime_error("fill_ only supports 0-dimension value tensor but got tensor with {} dimensions.", dim);
}

Error same_device_expected(Device a, Device b) {
  return runtime_error("Expected all tensors to be on the same device, but found at least two devices, {} and {}!",
                       device_name(a), device_name(b));
}

Error to_scalar(std::int64_t numel) {
  return runtime_error("a Tensor with {} elements cannot be converted to Scalar", numel);
}

Error too_many_elements(ShapeView shape) {
  return runtime_error("Storage size calculation overflowed with sizes={}", sizes(shape));
}

Error wrong_value_count(std::size_t values, ShapeView shape) {
  return runtime_error("shape '{}' is invalid for input of size {}", sizes(shape), values);
}

Error negative_dimension(std::int64_t size, ShapeView shape) {
  return runtime_error("Trying to create tensor with negative dimension {}: {}", size, sizes(shape));
}

Error negative_zeros() { return runtime_error("zeros: Dimension size must be non-negative."); }

Error allclose_dtype(DType a, DType b) { return runtime_error("{} did not match {}", scalar_name(a), scalar_name(b)); }

// ---- operands ----

Error undefined_operand(std::size_t position, std::string_view name) {
  return runtime_error("Expected a proper Tensor but got None (or an undefined Tensor in C++) for argument #{} '{}'", position,
                       name);
}

Error not_differentiable(DType dtype) { return runtime_error("Autograd not support dtype: {}", scalar_name(dtype)); }

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
      sizes(grad), sizes(tensor));
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

// ---- saved tensors ----

Error saved_version(std::string_view tensor_type, ShapeView shape, std::string_view node, std::uint32_t output_nr,
                    std::uint32_t now, std::uint32_t saved, bool anomaly_mode) {
  const std::string which = node.empty() ? "" : fmt::format(", which is output {} of {},", output_nr, short_name(node));
  return runtime_error(
      "one of the variables needed for gradient computation has been modified by an inplace operation: [{} {}]{} is at version {}; "
      "expected version {} instead. Hint: {}",
      tensor_type, sizes(shape), which, now, saved,
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

// ---- custom Functions ----

Error dirty_not_returned() {
  return runtime_error(
      "Some elements marked as dirty during the forward method were not returned as output. The inputs that are modified inplace "
      "must all be outputs of the Function.");
}

Error dirty_view_several_outputs() {
  return runtime_error(
      "If your Function modifies inplace an input that is a view of another Tensor, your Function cannot return more than one "
      "Tensor. This is not supported by the current autograd engine. You should either make sure the input is not a view (using "
      ".clone() for example) or make your Function only return one Tensor (potentially splitting it into two Functions: one doing the "
      "inplace that returns a single Tensor and a second one that does the other operations). You can ask on the forum "
      "https://discuss.pytorch.org/ if you need help to do this change.");
}

Error wrong_gradient_count(std::string_view node, std::size_t expected, std::size_t got) {
  return runtime_error("function {} returned an incorrect number of gradients (expected {}, got {})", node, expected, got);
}

Error gradient_for_non_tensor(std::string_view node, std::size_t position) {
  return runtime_error(
      "function {} returned a gradient different than None at position {}, but the corresponding forward input was not a Variable",
      node, position);
}

Error invalid_gradient_shape(std::string_view node, std::size_t index, ShapeView got, ShapeView expected) {
  return runtime_error("Function {} returned an invalid gradient at index {} - got {} but expected shape compatible with {}", node,
                       index, sizes(got), sizes(expected));
}

Error invalid_gradient_device(std::string_view node, std::size_t index, Device expected, Device got) {
  return runtime_error("Function {} returned an invalid gradient at index {} - expected device {} but got {}", node, index,
                       device_name(expected), device_name(got));
}

Error twice_differentiated() {
  return runtime_error("trying to differentiate twice a function that was marked with @once_differentiable");
}

Error ctx_attribute_type(std::string_view expected) {
  return runtime_error("this ctx attribute holds no {}: store one in forward before reading it in backward", expected);
}

const char* const kDirtyNotAnInput =
    "ctx.mark_dirty() received a tensor that was not an input. Only input Tensors that have been mutated should be passed to "
    "ctx.mark_dirty().";

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

// ---- gradcheck ----

Error gradcheck_needs_input() {
  return Error(ErrorType::kValueError,
               "gradcheck expects at least one input tensor to require gradient, but none of them have requires_grad=True.");
}

Error gradcheck_overlapping_input(std::size_t input) {
  return runtime_error(
      "The {}th input has a dimension with stride 0. gradcheck only supports inputs that are non-overlapping to be able to compute "
      "the numerical gradients correctly. You should call .contiguous on the input before passing it to gradcheck.",
      input);
}

Error gradcheck_numerical_not_zero() { return gradcheck_error("Numerical gradient for function expected to be zero"); }

Error gradcheck_mismatch(std::size_t output, std::size_t input, std::string_view numerical, std::string_view analytical) {
  return gradcheck_error("Jacobian mismatch for output {} with respect to input {},\nnumerical:{}\nanalytical:{}\n", output, input,
                         numerical, analytical);
}

Error gradcheck_not_reentrant(double nondet_tol) {
  return gradcheck_error(
      "Backward is not reentrant, i.e., running backward with same input and grad_output multiple times gives different values, "
      "although analytical gradient matches numerical gradient.The tolerance for nondeterminism was {}.\n\n"
      "NOTE: If your op relies on non-deterministic operations i.e., it is listed here:\n"
      "https://pytorch.org/docs/stable/generated/torch.use_deterministic_algorithms.html\n"
      "this failure might be expected.\n\n"
      "If you are adding a new operator, please file an issue and then use one of the\n"
      "workarounds. The workaround depends on how your test invokes gradcheck/gradgradcheck.\n"
      "If the test\n"
      "- manually invokes gradcheck/gradgradcheck, then call gradcheck/gradgradcheck\n"
      "  with `nondet_tol=<tol>` as a keyword argument.\n"
      "- is OpInfo-based (e.g., in test_ops_gradients.py), then modify the OpInfo for the test\n"
      "  to have `gradcheck_nondet_tol=<tol>`.\n"
      "- is a Module test (e.g., in common_nn.py), then modify the corresponding\n"
      "  module_test entry to have `gradcheck_nondet_tol=<tol>`\n",
      python_float(nondet_tol));
}

Error gradcheck_not_multiplied() { return gradcheck_error("backward not multiplied by grad_output"); }

Error gradcheck_undefined_not_zero() {
  return gradcheck_error(
      "Expected all input grads to be undefined or zero when all output grads are undefined or zero. Please look at \"Notes about "
      "undefined output gradients\" in \"tools/autograd/derivatives.yaml\"");
}

Error gradcheck_undefined_unsupported() {
  return gradcheck_error(
      "Expected backward function to handle undefined output grads. Please look at \"Notes about undefined output gradients\" in "
      "\"tools/autograd/derivatives.yaml\"");
}

std::string gradcheck_not_double(std::size_t input) {
  return fmt::format(
      "Input #{} requires gradient and is not a double precision floating point or complex. This check will likely fail if all the "
      "inputs are not of double precision floating point or complex. ",
      input);
}

const char* const kGradcheckUndefined =
    "Backwards compatibility: New undefined gradient support checking feature is enabled by default, but it may break existing callers "
    "of this function. If this is true for you, you can call this function with \"check_undefined_grad=False\" to disable the feature";

}  // namespace messages
}  // namespace gradlab
