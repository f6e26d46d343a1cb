// Every text that the engine raises, in one place: PyTorch 2.13's wording. docs/messages.md says which rule each enforces.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "kernels/device.h"
#include "kernels/dtype.h"
#include "src/tensor/error.h"
#include "src/tensor/shape.h"

namespace gradlab {

enum class CreationMeta : std::uint8_t;

namespace messages {

// ---- shapes and dtypes ----
Error size_mismatch(std::int64_t a, std::int64_t b, std::int64_t dim);
Error output_shape_mismatch(ShapeView output, ShapeView broadcast);
Error invalid_view_shape(ShapeView shape, std::int64_t numel);
Error incompatible_view();
Error ambiguous_view_shape(ShapeView shape);
Error only_one_dim_inferred();
Error invalid_shape_dim(std::int64_t size, std::size_t dim, ShapeView shape);
Error dim_out_of_range(std::int64_t dim, std::int64_t range);
Error select_of_scalar();
Error select_index_out_of_range(std::int64_t index, ShapeView shape, std::int64_t dim);
Error index_of_scalar();
Error index_out_of_range(std::int64_t index, std::int64_t dim, std::int64_t size);
Error narrow_of_scalar();
Error narrow_start_out_of_range(std::int64_t start, std::int64_t size);
Error narrow_length_negative();
Error narrow_exceeds(std::int64_t start, std::int64_t length, std::int64_t size);
Error t_needs_at_most_2d(std::int64_t dim);
Error expand_fewer_dims(std::string_view tensor_type, ShapeView shape, ShapeView target);
Error expand_mismatch(std::int64_t target_size, std::int64_t size, std::int64_t dim, ShapeView target, ShapeView shape);
Error expand_negative(std::int64_t target_size, std::int64_t dim);
Error out_of_storage(ShapeView shape, ShapeView strides, std::int64_t offset, std::size_t item_bytes, std::size_t needed, std::size_t available);
Error stride_count();
Error negative_stride(ShapeView strides);
Error negative_offset(std::int64_t offset);
Error strided_size_overflow(ShapeView shape, ShapeView strides);
Error uncountable_elements();
Error matmul_needs_1d(std::int64_t a, std::int64_t b);
Error dot_size_mismatch(std::int64_t a, std::int64_t b);
Error mv_size_mismatch(ShapeView matrix, std::int64_t vector);
Error mm_shape_mismatch(ShapeView a, ShapeView b);
Error dot_dtype(DType a, DType b);
Error mm_dtype(DType a, DType b);
Error mv_dtype(DType matrix, DType vector);
Error matmul_rank(std::int64_t a, std::int64_t b);
Error result_type_cast(DType from, DType to);
Error not_implemented_for(std::string_view kernel, DType dtype);
Error relu_of_bool();
Error integer_to_negative_power();
Error bool_subtract(bool both);
Error bool_negate();
Error mean_dtype(DType dtype);
Error reduce_empty(std::string_view name);
Error where_needs_bool(DType dtype);
Error repeated_dim(std::int64_t dim);
Error arange_bounds();
Error fill_needs_scalar(std::int64_t dim);
Error same_device_expected(Device a, Device b);
Error to_scalar(std::int64_t numel);
Error too_many_elements(ShapeView shape);
Error wrong_value_count(std::size_t values, ShapeView shape);
Error negative_dimension(std::int64_t size, ShapeView shape);
Error negative_zeros();
Error allclose_dtype(DType a, DType b);

// ---- operands ----
Error undefined_operand(std::size_t position, std::string_view name);
Error not_differentiable(DType dtype);

// ---- in-place writes ----
Error leaf_in_place();
Error view_of_leaf_in_place();
Error leaf_modified_by_function();
Error internal_overlap();
Error partial_overlap();
Error view_in_place(std::string_view node, std::uint32_t output_nr, bool indirect, CreationMeta creation_meta);
Error detach_view_in_place();
Error inference_in_place();

// ---- requires_grad and grad ----
Error only_floating_can_require_grad();
Error factory_only_floating_can_require_grad();
Error requires_grad_of_non_leaf();
Error inference_requires_grad();
Error inference_saved();
Error inference_version();
Error retain_grad_without_requires_grad();
Error grad_size(ShapeView grad, ShapeView tensor);
Error grad_dtype(DType grad, DType tensor);
Error grad_device(Device grad, Device tensor);
Error grad_is_itself();

// ---- saved tensors ----
Error saved_version(std::string_view tensor_type, ShapeView shape, std::string_view node, std::uint32_t output_nr, std::uint32_t now, std::uint32_t saved, bool anomaly_mode);
Error freed();
Error saved_detached_in_place();
Error pack_hook_modified_input();

// ---- custom Functions ----
Error dirty_not_returned();
Error dirty_view_several_outputs();
Error wrong_gradient_count(std::string_view node, std::size_t expected, std::size_t got);
Error gradient_for_non_tensor(std::string_view node, std::size_t position);
Error invalid_gradient_shape(std::string_view node, std::size_t index, ShapeView got, ShapeView expected);
Error invalid_gradient_device(std::string_view node, std::size_t index, Device expected, Device got);
Error twice_differentiated();
Error ctx_attribute_type(std::string_view expected);
extern const char* const kDirtyNotAnInput;  // a warning

// ---- backward ----
Error implicit_gradient();
Error implicit_gradient_dtype(DType dtype);
Error no_grad_fn(std::size_t index);
Error gradient_shape_mismatch(std::size_t gradient_index, ShapeView gradient, std::size_t output_index, ShapeView output);
Error ambiguous_truth(std::int64_t numel);
Error gradient_count(std::size_t tensors, std::size_t gradients);
Error leaf_moved();
Error unused_input(std::size_t index);
Error input_does_not_require_grad();
Error empty_inputs(bool grad);
Error hook_without_grad();
Error post_hook_of_non_leaf();
Error hook_changed_size(std::string_view hook);
Error hook_changed_type(std::string_view hook, std::string_view was, std::string_view got);
Error hook_replaced_none();
Error hook_value_count(std::string_view hook, std::size_t got, std::size_t expected);
Error nan_gradient(std::string_view node, std::size_t output);
extern const char* const kNonLeafGrad;  // a warning
extern const char* const kCreateGraphCycle;  // a warning
extern const char* const kAnomalyEnabled;  // a warning
std::string anomaly_traceback(std::string_view node, std::string_view lines);
std::string anomaly_no_traceback(std::string_view node);
std::string anomaly_induced(std::string_view node, std::string_view lines);


// ---- gradcheck ----
Error gradcheck_needs_input();
Error gradcheck_overlapping_input(std::size_t input);
Error gradcheck_numerical_not_zero();
Error gradcheck_mismatch(std::size_t output, std::size_t input, std::string_view numerical, std::string_view analytical);
Error gradcheck_not_reentrant(double nondet_tol);
Error gradcheck_not_multiplied();
Error gradcheck_undefined_not_zero();
Error gradcheck_undefined_unsupported();
std::string gradcheck_not_double(std::size_t input);  // a warning
extern const char* const kGradcheckUndefined;  // a warning

}  // namespace messages
}  // namespace gradlab
