// Tensors out of nothing: leaves.
#include <algorithm>

#include "kernels/memory.h"
#include "src/ops/record.h"
#include "src/tensor/messages.h"

namespace gradlab {

namespace {

Tensor as_leaf(Tensor tensor, const TensorOptions& options, Origin origin = Origin::kFactory) {
  if (options.requires_grad) {
    if (!is_floating_point(options.dtype)) throw messages::factory_only_floating_can_require_grad();
    tensor.requires_grad_();
  }
  tensor.impl()->is_inference = GradMode::is_inference();
  if (Observer* observer = Observer::current()) [[unlikely]] observer->created(tensor, origin, "tensor", nullptr, {});
  return tensor;
}

Tensor uninitialised(const Shape& shape, const TensorOptions& options) {
  for (std::int64_t size : shape) {
    if (size < 0) throw messages::negative_dimension(size, shape);
  }
  return make_tensor(shape, contiguous_strides(shape), options.dtype, options.device);
}

template <class T>
void write(const Tensor& to, const std::vector<double>& values) {
  std::vector<T> converted(values.begin(), values.end());
  copy_bytes(to.device(), to.data_ptr(), Device::kCpu, converted.data(), converted.size() * sizeof(T));
}

// std::vector<bool> has no data().
void write_bools(const Tensor& to, const std::vector<double>& values) {
  std::vector<unsigned char> converted;
  converted.reserve(values.size());
  for (double value : values) converted.push_back(value != 0 ? 1 : 0);
  copy_bytes(to.device(), to.data_ptr(), Device::kCpu, converted.data(), converted.size());
}

}  // namespace

Tensor empty(const Shape& shape, const TensorOptions& options) {
  return as_leaf(uninitialised(shape, options), options, Origin::kEmpty);
}

Tensor full(const Shape& shape, const Scalar& value, const TensorOptions& options) {
  Tensor tensor = uninitialised(shape, options);
  fill_into(tensor, value.value());
  return as_leaf(tensor, options);
}

Tensor zeros(const Shape& shape, const TensorOptions& options) {
  if (std::ranges::any_of(shape, [](std::int64_t size) { return size < 0; })) throw messages::negative_zeros();
  return full(shape, 0.0, options);
}
Tensor ones(const Shape& shape, const TensorOptions& options) { return full(shape, 1.0, options); }

Tensor scalar_tensor(const Scalar& value, const TensorOptions& options) { return full({}, value, options); }

Tensor tensor(const std::vector<double>& values, const Shape& shape, const TensorOptions& options) {
  Tensor made = uninitialised(shape, options);
  if (static_cast<std::size_t>(made.numel()) != values.size()) throw messages::wrong_value_count(values.size(), shape);
  switch (options.dtype) {
    case DType::kFloat32: write<float>(made, values); break;
    case DType::kFloat64: write<double>(made, values); break;
    case DType::kInt32: write<std::int32_t>(made, values); break;
    case DType::kInt64: write<std::int64_t>(made, values); break;
    case DType::kBool: write_bools(made, values); break;
  }
  return as_leaf(made, options);
}

Tensor tensor(const std::vector<double>& values, const TensorOptions& options) {
  return tensor(values, {static_cast<std::int64_t>(values.size())}, options);
}

Tensor arange(std::int64_t end, const TensorOptions& options) {
  if (end < 0) throw messages::arange_bounds();
  std::vector<double> values(static_cast<std::size_t>(end));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i);
  return tensor(values, options);
}

namespace {

Tensor uninitialised_like(const Tensor& like) {
  return make_tensor(like.shape(), like_strides(like.shape(), like.strides()), like.dtype(), like.device());
}

Tensor full_like(const Tensor& like, double value) {
  Tensor tensor = uninitialised_like(like);
  fill_into(tensor, value);
  return as_leaf(tensor, like.options());
}

}  // namespace

Tensor empty_like(const Tensor& like) { return as_leaf(uninitialised_like(like), like.options(), Origin::kEmpty); }

Tensor zeros_like(const Tensor& like) { return full_like(like, 0); }

Tensor ones_like(const Tensor& like) { return full_like(like, 1); }

}  // namespace gradlab
