// The texts about shapes, dtypes and operands.
#include "src/tensor/message_text.h"

namespace gradlab::messages {

namespace {

std::string dimensions(ShapeView shape) { return fmt::format("{}", fmt::join(shape, "x")); }

}  // namespace

// ---- shapes and dtypes ----

Error size_mismatch(std::int64_t a, std::int64_t b, std::int64_t dim) {
  return runtime_error("The size of tensor a ({}) must match the size of tensor b ({}) at non-singleton dimension {}", a, b,
                       dim);
}

Error output_shape_mismatch(ShapeView output, ShapeView broadcast) {
  return runtime_error("output with shape {} doesn't match the broadcast shape {}", format_size(output), format_size(broadcast));
}

Error invalid_view_shape(ShapeView shape, std::int64_t numel) {
  return runtime_error("shape '{}' is invalid for input of size {}", format_size(shape), numel);
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
      format_size(shape));
}

Error only_one_dim_inferred() { return runtime_error("only one dimension can be inferred"); }

Error invalid_shape_dim(std::int64_t size, std::size_t dim, ShapeView shape) {
  return runtime_error("invalid shape dimension {} at index {} of shape {}", size, dim, format_size(shape));
}

Error dim_out_of_range(std::int64_t dim, std::int64_t range) {
  return index_error("Dimension out of range (expected to be in range of [{}, {}], but got {})", -range, range - 1, dim);
}

Error select_of_scalar() { return index_error("select() cannot be applied to a 0-dim tensor."); }

Error select_index_out_of_range(std::int64_t index, ShapeView shape, std::int64_t dim) {
  return index_error("select(): index {} out of range for tensor of size {} at dimension {}", index, format_size(shape), dim);
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
      tensor_type, format_size(shape), format_size(target), target.size(), shape.size());
}

Error expand_mismatch(std::int64_t target_size, std::int64_t size, std::int64_t dim, ShapeView target, ShapeView shape) {
  return runtime_error(
      "The expanded size of the tensor ({}) must match the existing size ({}) at non-singleton dimension {}.  Target sizes: {}. "
      " Tensor sizes: {}",
      target_size, size, dim, format_size(target), format_size(shape));
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
      format_size(shape), format_size(strides), offset, item_bytes, needed, available);
}

Error stride_count() { return runtime_error("mismatch in length of strides and shape"); }

Error negative_stride(ShapeView strides) {
  return runtime_error("as_strided: Negative strides are not supported at the moment, got strides: {}", format_size(strides));
}

Error negative_offset(std::int64_t offset) { return runtime_error("Tensor: invalid storage offset {}", offset); }

Error strided_size_overflow(ShapeView shape, ShapeView strides) {
  return runtime_error("Storage size calculation overflowed with sizes={} and strides={}", format_size(shape), format_size(strides));
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
  return runtime_error("Storage size calculation overflowed with sizes={}", format_size(shape));
}

Error wrong_value_count(std::size_t values, ShapeView shape) {
  return runtime_error("shape '{}' is invalid for input of size {}", format_size(shape), values);
}

Error negative_dimension(std::int64_t size, ShapeView shape) {
  return runtime_error("Trying to create tensor with negative dimension {}: {}", size, format_size(shape));
}

Error negative_zeros() { return runtime_error("zeros: Dimension size must be non-negative."); }

Error allclose_dtype(DType a, DType b) { return runtime_error("{} did not match {}", scalar_name(a), scalar_name(b)); }

// ---- operands ----

Error undefined_operand(std::size_t position, std::string_view name) {
  return runtime_error("Expected a proper Tensor but got None (or an undefined Tensor in C++) for argument #{} '{}'", position,
                       name);
}

Error not_differentiable(DType dtype) { return runtime_error("Autograd not support dtype: {}", scalar_name(dtype)); }

}  // namespace gradlab::messages
