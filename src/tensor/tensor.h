// The tensor: a cheap shared handle with PyTorch's method names.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kernels/device.h"
#include "kernels/dtype.h"
#include "src/tensor/ref.h"
#include "src/tensor/scalar.h"
#include "src/tensor/shape.h"

namespace gradlab {

class Node;
class Tensor;
struct TensorImpl;
struct BackwardOptions;

void dispose(Node* node) noexcept;        // src/autograd/node.cpp
void dispose(TensorImpl* impl) noexcept;  // src/tensor/tensor.cpp

template <>
inline constexpr bool kIsRelocatable<Tensor> = true;
using TensorList = InlineVector<Tensor, 2>;

struct TensorOptions {
  DType dtype = DType::kFloat32;
  Device device = Device::kCpu;
  bool requires_grad = false;
};

// Runs on a gradient; returns a replacement, or an undefined tensor to keep it.
using TensorHook = std::function<Tensor(const Tensor& grad)>;

// Copies of a Tensor are the same tensor. A default-made one is undefined: it stands for PyTorch's None and has no
// properties. Declared here and defined by higher layers, so that an experiment reads like the chapter: the autograd part in
// src/autograd, the operations in src/ops.
class Tensor {
 public:
  Tensor() = default;
  explicit Tensor(Ref<TensorImpl> impl) : impl_(std::move(impl)) {}

  bool defined() const { return static_cast<bool>(impl_); }
  bool is_same(const Tensor& other) const { return impl_ == other.impl_; }
  TensorImpl* impl() const { return impl_.get(); }
  const Ref<TensorImpl>& ref() const { return impl_; }
  std::uint32_t use_count() const { return impl_.use_count(); }

  // ---- what it is (src/tensor) ----
  const Shape& shape() const;
  const Shape& strides() const;  // in elements
  std::int64_t storage_offset() const;  // in elements
  std::int64_t dim() const;
  std::int64_t numel() const;
  std::int64_t size(std::int64_t dim) const;
  DType dtype() const;
  Device device() const;
  TensorOptions options() const;  // dtype and device
  bool is_contiguous() const;
  bool is_non_overlapping_and_dense() const;
  bool is_alias_of(const Tensor& other) const;  // same storage

  // The first element, on device(). A write through this pointer is what autograd cannot see (NOTE [Versions]).
  void* data_ptr() const;
  template <class T>
  T* data_ptr() const {
    return static_cast<T*>(data_ptr());
  }

  // PyTorch's _version: in-place writes so far. Error for an inference tensor.
  std::uint32_t version() const;

  // The values in row-major order, converted to double, copied to the host. O(numel).
  std::vector<double> to_vector() const;
  // The one element. Throws RuntimeError "a Tensor with {n} elements cannot be converted to Scalar".
  double item() const;
  // PyTorch's str(tensor).
  std::string to_string() const;

  // ---- autograd (src/autograd) ----
  bool requires_grad() const;
  bool is_leaf() const;  // throws like grad_fn()
  // The node that made it, null for a leaf. Of a view whose base was written, a fresh one (NOTE [Views] in view.h); throws
  // PyTorch's text where the view may not be used any more.
  Ref<Node> grad_fn() const;
  std::uint32_t output_nr() const;
  Tensor grad() const;  // undefined when there is none
  void set_grad(const Tensor& grad) const;  // with PyTorch's checks; undefined clears
  const Tensor& requires_grad_(bool requires_grad = true) const;
  const Tensor& detach_() const;
  void retain_grad() const;
  bool retains_grad() const;
  bool is_view() const;
  Tensor base() const;  // undefined unless a view
  // Hooks run in order of registration, when the gradient with respect to this tensor is complete.
  void register_hook(TensorHook hook) const;
  void register_post_accumulate_grad_hook(std::function<void(const Tensor&)> hook) const;
  // Runs the graph backward from here. `gradient` may be left out for one element.
  void backward(const Tensor& gradient = {}) const;
  void backward(const Tensor& gradient, BackwardOptions options) const;

  // ---- operations (src/ops), each as torch.Tensor's method of the same name ----
  Tensor add(const Tensor& other) const;
  Tensor sub(const Tensor& other) const;
  Tensor mul(const Tensor& other) const;
  Tensor div(const Tensor& other) const;
  Tensor add(const Scalar& other) const;
  Tensor sub(const Scalar& other) const;
  Tensor mul(const Scalar& other) const;
  Tensor div(const Scalar& other) const;
  Tensor neg() const;
  Tensor abs() const;
  Tensor sign() const;
  Tensor exp() const;
  Tensor log() const;
  Tensor sqrt() const;
  Tensor tanh() const;
  Tensor sigmoid() const;
  Tensor relu() const;
  Tensor erf() const;
  Tensor gelu() const;  // torch.nn.functional.gelu, approximate="none"
  Tensor reciprocal() const;
  Tensor pow(const Scalar& exponent) const;
  Tensor sum() const;
  Tensor sum(const Shape& dims, bool keepdim = false) const;
  Tensor mean() const;
  Tensor max() const;
  Tensor min() const;
  Tensor maximum(const Tensor& other) const;
  Tensor minimum(const Tensor& other) const;
  Tensor clamp(const Scalar& low, const Scalar& high) const;
  Tensor matmul(const Tensor& other) const;
  Tensor eq(const Tensor& other) const;
  Tensor ne(const Tensor& other) const;
  Tensor lt(const Tensor& other) const;
  Tensor le(const Tensor& other) const;
  Tensor gt(const Tensor& other) const;
  Tensor ge(const Tensor& other) const;
  Tensor to(DType dtype) const;  // itself when nothing is to do
  Tensor to(Device device) const;
  Tensor clone() const;  // keeps the strides of a dense tensor
  Tensor contiguous() const;  // itself when nothing is to do

  Tensor view(const Shape& shape) const;
  Tensor view_as(const Tensor& other) const;
  Tensor reshape(const Shape& shape) const;
  Tensor select(std::int64_t dim, std::int64_t index) const;
  Tensor narrow(std::int64_t dim, std::int64_t start, std::int64_t length) const;
  Tensor t() const;
  Tensor unsqueeze(std::int64_t dim) const;
  Tensor squeeze(std::int64_t dim) const;
  Tensor expand(const Shape& shape) const;
  Tensor as_strided(const Shape& shape, const Shape& strides, std::int64_t storage_offset) const;
  Tensor detach() const;  // shares data and version counter, leaves the graph
  Tensor data() const;    // shares data only: Python's x.data

  const Tensor& add_(const Tensor& other) const;
  const Tensor& sub_(const Tensor& other) const;
  const Tensor& mul_(const Tensor& other) const;
  const Tensor& div_(const Tensor& other) const;
  const Tensor& add_(const Scalar& other) const;
  const Tensor& sub_(const Scalar& other) const;
  const Tensor& mul_(const Scalar& other) const;
  const Tensor& div_(const Scalar& other) const;
  const Tensor& neg_() const;
  const Tensor& exp_() const;
  const Tensor& tanh_() const;
  const Tensor& sigmoid_() const;
  const Tensor& relu_() const;
  const Tensor& zero_() const;
  const Tensor& fill_(const Scalar& value) const;
  const Tensor& fill_(const Tensor& value) const;
  const Tensor& copy_(const Tensor& source) const;

  // x[i], and x[i] = value as in Python: the assignment writes into the tensor's memory and counts as one write.
  Tensor operator[](std::int64_t index) const;
  void operator=(const Scalar& value) &&;
  Tensor(const Tensor&) = default;
  Tensor(Tensor&&) noexcept = default;
  Tensor& operator=(const Tensor&) = default;
  Tensor& operator=(Tensor&&) noexcept = default;

 private:
  Ref<TensorImpl> impl_;
};

// Row-major values. Throws RuntimeError when the number of values does not fit the shape.
Tensor tensor(const std::vector<double>& values, const TensorOptions& options = {});
Tensor tensor(const std::vector<double>& values, const Shape& shape, const TensorOptions& options = {});
Tensor scalar_tensor(const Scalar& value, const TensorOptions& options = {});
Tensor empty(const Shape& shape, const TensorOptions& options = {});
Tensor full(const Shape& shape, const Scalar& value, const TensorOptions& options = {});
Tensor zeros(const Shape& shape, const TensorOptions& options = {});
Tensor ones(const Shape& shape, const TensorOptions& options = {});
Tensor arange(std::int64_t end, const TensorOptions& options = {});
// Same shape, strides (of a dense tensor), dtype and device.
Tensor empty_like(const Tensor& like);
Tensor zeros_like(const Tensor& like);
Tensor ones_like(const Tensor& like);

Tensor operator+(const Tensor& a, const Tensor& b);
Tensor operator-(const Tensor& a, const Tensor& b);
Tensor operator*(const Tensor& a, const Tensor& b);
Tensor operator/(const Tensor& a, const Tensor& b);
Tensor operator+(const Tensor& a, const Scalar& b);
Tensor operator-(const Tensor& a, const Scalar& b);
Tensor operator*(const Tensor& a, const Scalar& b);
Tensor operator/(const Tensor& a, const Scalar& b);
Tensor operator+(const Scalar& a, const Tensor& b);
Tensor operator-(const Scalar& a, const Tensor& b);
Tensor operator*(const Scalar& a, const Tensor& b);
Tensor operator/(const Scalar& a, const Tensor& b);
Tensor operator-(const Tensor& a);

Tensor where(const Tensor& condition, const Tensor& a, const Tensor& b);

// torch.allclose: every |a - b| <= atol + rtol * |b|. nan equals nan only if asked; shapes broadcast, dtypes must agree.
bool allclose(const Tensor& a, const Tensor& b, double rtol = 1e-5, double atol = 1e-8, bool equal_nan = false);
// torch.equal: same shape and values.
bool equal(const Tensor& a, const Tensor& b);

}  // namespace gradlab

#include "src/tensor/tensor_impl.h"
