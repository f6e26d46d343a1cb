// What a Tensor handle points at. The engine works on it; everything else goes through Tensor.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "src/tensor/ref.h"
#include "src/tensor/storage.h"
#include "src/tensor/tensor.h"  // which includes this file at its end
#include "src/tensor/version_counter.h"

namespace gradlab {

// How a view came to be: decides what a later in-place write through it, or to its base, may do (NOTE [Views] in view.h).
enum class CreationMeta : std::uint8_t { kDefault, kInCustomFunction, kMultiOutputNode, kNoGradMode, kInferenceMode };

struct ViewInfo {
  Tensor base;  // never itself a view
  CreationMeta creation_meta;
  std::uint32_t attr_version;  // the version that grad_fn was made for
};

struct TensorHooks;  // src/autograd/hooks.h

// What few tensors have.
struct AutogradExtras {
  Tensor grad;
  WeakRef<Node> grad_accumulator;
  std::optional<ViewInfo> view;
  std::shared_ptr<TensorHooks> hooks;  // of a leaf; those of other tensors stand at their node
  bool retains_grad = false;
};

struct TensorImpl {
  TensorImpl(Ref<Storage> its_storage, VersionCounter its_version, const Shape& its_shape, const Shape& its_strides,
             std::int64_t offset, DType its_dtype)
      : storage(std::move(its_storage)), version(std::move(its_version)), shape(its_shape), strides(its_strides),
        storage_offset(offset), dtype(its_dtype) {}

  Ref<Storage> storage;
  VersionCounter version;
  Shape shape;
  Shape strides;
  std::int64_t storage_offset;
  Ref<Node> grad_fn;
  std::unique_ptr<AutogradExtras> extras;
  std::uint32_t output_nr = 0;
  DType dtype;
  bool requires_grad = false;      // the flag itself; Tensor::requires_grad() asks the graph too
  bool is_wrapped_number = false;  // made from a Python number: does not take part in type promotion
  bool is_inference = false;

  AutogradExtras& autograd_extras() {
    if (!extras) extras = std::make_unique<AutogradExtras>();
    return *extras;
  }
  // No other tensor lies in its storage.
  bool has_storage_alone() const { return storage.use_count() == (version.stands_in(storage) ? 2u : 1u); }
  ViewInfo* view() { return extras && extras->view ? &*extras->view : nullptr; }
};

// ---- the accessors of Tensor that every op calls ----

inline const Shape& Tensor::shape() const { return impl_->shape; }
inline const Shape& Tensor::strides() const { return impl_->strides; }
inline std::int64_t Tensor::storage_offset() const { return impl_->storage_offset; }
inline std::int64_t Tensor::dim() const { return static_cast<std::int64_t>(impl_->shape.size()); }
inline std::int64_t Tensor::numel() const { return numel_of(impl_->shape); }
inline DType Tensor::dtype() const { return impl_->dtype; }
inline Device Tensor::device() const { return impl_->storage->device(); }
inline TensorOptions Tensor::options() const { return {.dtype = dtype(), .device = device()}; }
inline bool Tensor::is_contiguous() const { return gradlab::is_contiguous(impl_->shape, impl_->strides); }
inline bool Tensor::is_non_overlapping_and_dense() const {
  return gradlab::is_non_overlapping_and_dense(impl_->shape, impl_->strides);
}
inline bool Tensor::is_alias_of(const Tensor& other) const { return impl_->storage == other.impl_->storage; }

inline void* Tensor::data_ptr() const {
  return static_cast<char*>(impl_->storage->data()) +
         static_cast<std::size_t>(impl_->storage_offset) * size_bytes(impl_->dtype);
}

// Nobody but the holder of this one handle can see the tensor or its memory, so it may be overwritten.
inline bool is_private(const Tensor& tensor) {
  return tensor.use_count() == 1 && tensor.impl()->has_storage_alone() && tensor.is_non_overlapping_and_dense();
}

// A fresh tensor over its own storage. Uninitialised.
Tensor make_tensor(const Shape& shape, const Shape& strides, DType dtype, Device device);
// Another look at the same storage, outside any graph. With the counter of `of`, or with one of its own.
Tensor make_alias(const Tensor& of, const Shape& shape, const Shape& strides, std::int64_t storage_offset);
Tensor make_alias_with_own_version(const Tensor& of);

// A tensor's elements in row-major order on the host: itself if they lie so already, else a copy.
class HostValues {
 public:
  explicit HostValues(const Tensor& tensor);

  const void* data() const { return kept_.data_ptr(); }
  double operator[](std::int64_t i) const;

 private:
  Tensor kept_;
};

}  // namespace gradlab
