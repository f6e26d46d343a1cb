#include "src/tensor/tensor.h"

#include "kernels/elementwise.h"
#include "kernels/memory.h"
#include "src/tensor/messages.h"
#include "src/tensor/tensor_impl.h"

namespace gradlab {

void dispose(TensorImpl* impl) noexcept {
  impl->~TensorImpl();
  ref_internal::drop_weak(impl);
}

std::int64_t Tensor::size(std::int64_t dim) const { return shape()[static_cast<std::size_t>(wrap_dim(dim, this->dim()))]; }

std::uint32_t Tensor::version() const {
  if (impl_->is_inference) throw messages::inference_version();
  return impl_->version.current();
}

Tensor make_tensor(const Shape& shape, const Shape& strides, DType dtype, Device device) {
  std::int64_t bytes = 0;
  if (__builtin_mul_overflow(numel_of(shape), static_cast<std::int64_t>(size_bytes(dtype)), &bytes)) {
    throw messages::too_many_elements(shape);
  }
  Ref<Storage> storage = make_ref<Storage>(device, static_cast<std::size_t>(bytes));
  VersionCounter version(storage);
  return Tensor(make_ref<TensorImpl>(std::move(storage), std::move(version), shape, strides, 0, dtype));
}

Tensor make_alias(const Tensor& of, const Shape& shape, const Shape& strides, std::int64_t storage_offset) {
  const TensorImpl& impl = *of.impl();
  Tensor alias(make_ref<TensorImpl>(impl.storage, impl.version, shape, strides, storage_offset, impl.dtype));
  alias.impl()->is_wrapped_number = impl.is_wrapped_number;
  alias.impl()->is_inference = impl.is_inference;
  return alias;
}

Tensor make_alias_with_own_version(const Tensor& of) {
  const TensorImpl& impl = *of.impl();
  return Tensor(
      make_ref<TensorImpl>(impl.storage, VersionCounter(), impl.shape, impl.strides, impl.storage_offset, impl.dtype));
}

HostValues::HostValues(const Tensor& tensor) {
  if (tensor.device() == Device::kCpu && tensor.is_contiguous()) {
    kept_ = tensor;
    return;
  }
  const Device device = tensor.device();
  const Shape strides = contiguous_strides(tensor.shape());
  kept_ = make_tensor(tensor.shape(), strides, tensor.dtype(), device);
  unary(device, UnaryOp::kCopy, {static_cast<int>(strides.size()), tensor.shape().data()},
        {kept_.data_ptr(), tensor.dtype(), strides.data()}, {tensor.data_ptr(), tensor.dtype(), tensor.strides().data()});
  if (device == Device::kCpu) return;
  const Tensor on_device = kept_;
  kept_ = make_tensor(tensor.shape(), strides, tensor.dtype(), Device::kCpu);
  copy_bytes(Device::kCpu, kept_.data_ptr(), device, on_device.data_ptr(),
             static_cast<std::size_t>(tensor.numel()) * size_bytes(tensor.dtype()));
}

namespace {

// Element `i` counted from `tensor`'s first, on the host.
double read(const Tensor& tensor, std::int64_t i) {
  switch (tensor.dtype()) {
    case DType::kFloat32: return static_cast<double>(tensor.data_ptr<float>()[i]);
    case DType::kFloat64: return tensor.data_ptr<double>()[i];
    case DType::kInt32: return tensor.data_ptr<std::int32_t>()[i];
    case DType::kInt64: return static_cast<double>(tensor.data_ptr<std::int64_t>()[i]);
    case DType::kBool: return tensor.data_ptr<bool>()[i] ? 1.0 : 0.0;
  }
  return 0;
}

}  // namespace

double HostValues::operator[](std::int64_t i) const { return read(kept_, i); }

std::vector<double> Tensor::to_vector() const {
  const HostValues values(*this);
  std::vector<double> result(static_cast<std::size_t>(numel()));
  for (std::size_t i = 0; i < result.size(); ++i) result[i] = values[static_cast<std::int64_t>(i)];
  return result;
}

double Tensor::item() const {
  if (numel() != 1) throw messages::to_scalar(numel());
  return device() == Device::kCpu ? read(*this, 0) : HostValues(*this)[0];
}

}  // namespace gradlab
