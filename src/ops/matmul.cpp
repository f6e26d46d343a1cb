// Products of vectors and matrices: dot, mv, mm, as torch.matmul chooses among them.
#include "kernels/matmul.h"

#include "src/ops/record.h"
#include "src/tensor/messages.h"

namespace gradlab {

namespace {

Tensor dot(const Tensor& self, const Tensor& tensor);
Tensor mv(const Tensor& self, const Tensor& vec);
Tensor mm(const Tensor& self, const Tensor& mat2);

bool is_column_major(const Tensor& matrix) { return matrix.strides()[0] == 1 && matrix.strides()[1] == matrix.shape()[0]; }

struct DotBackward0 final : OpNode<"DotBackward0"> {
  SavedTensor self_;
  SavedTensor tensor_;
  TensorList apply(TensorList&& grad_outputs) override {
    const Tensor& grad = only(grad_outputs);
    const Tensor self = self_.unpack();
    const Tensor tensor = tensor_.unpack();
    TensorList grads(2);
    if (!grad.defined()) return grads;
    if (task_should_compute_output(0)) grads[0] = grad * tensor;
    if (task_should_compute_output(1)) grads[1] = grad * self;
    return grads;
  }
  void release_variables() override {
    self_.reset_data();
    tensor_.reset_data();
  }
};

struct MvBackward0 final : OpNode<"MvBackward0"> {
  SavedTensor self_;
  SavedTensor vec_;
  TensorList apply(TensorList&& grad_outputs) override {
    const Tensor& grad = only(grad_outputs);
    const Tensor self = self_.unpack();
    const Tensor vec = vec_.unpack();
    TensorList grads(2);
    if (!grad.defined()) return grads;
    if (task_should_compute_output(0)) grads[0] = grad.reshape({grad.numel(), 1}) * vec;
    if (task_should_compute_output(1)) grads[1] = mv(self.t(), grad);
    return grads;
  }
  void release_variables() override {
    self_.reset_data();
    vec_.reset_data();
  }
};

// Each gradient comes out in its operand's own layout.
struct MmBackward0 final : OpNode<"MmBackward0"> {
  SavedTensor self_;
  SavedTensor mat2_;
  bool self_is_column_major_ = false;
  bool mat2_is_column_major_ = false;
  TensorList apply(TensorList&& grad_outputs) override {
    const Tensor& grad = only(grad_outputs);
    const Tensor mat2 = mat2_.unpack();
    const Tensor self = self_.unpack();
    TensorList grads(2);
    if (!grad.defined()) return grads;
    if (task_should_compute_output(1)) {
      grads[1] = mat2_is_column_major_ ? mm(grad.t(), self).t() : mm(self.t(), grad);
    }
    if (task_should_compute_output(0)) {
      grads[0] = self_is_column_major_ ? mm(mat2, grad.t()).t() : mm(grad, mat2.t());
    }
    return grads;
  }
  void release_variables() override {
    self_.reset_data();
    mat2_.reset_data();
  }
};

// The metadata-only squeeze_ that ends vector times matrix.
struct SqueezeBackward4 final : OpNode<"SqueezeBackward4"> {
  TensorList apply(TensorList&& grad_outputs) override {
    const Tensor& grad = only(grad_outputs);
    return {grad.defined() ? grad.unsqueeze(0) : Tensor()};
  }
};

Tensor product(const Tensor& a, const Tensor& b, const Shape& shape, std::int64_t m, std::int64_t k, std::int64_t n,
               const Shape& a_strides, const Shape& b_strides);

// Through float64, which is exact for sums below 2^53.
Tensor integer_product(const Tensor& a, const Tensor& b, const Shape& shape, std::int64_t m, std::int64_t k, std::int64_t n,
                       const Shape& a_strides, const Shape& b_strides) {
  if (a.dtype() == DType::kBool) throw messages::not_implemented_for(shape.empty() ? "dot" : "addmm_impl_cpu_", a.dtype());
  return raw_to(product(raw_to(a, DType::kFloat64), raw_to(b, DType::kFloat64), shape, m, k, n, a_strides, b_strides), a.dtype());
}

Tensor product(const Tensor& a, const Tensor& b, const Shape& shape, std::int64_t m, std::int64_t k, std::int64_t n,
               const Shape& a_strides, const Shape& b_strides) {
  if (!is_floating_point(a.dtype())) return integer_product(a, b, shape, m, k, n, a_strides, b_strides);
  Tensor out = make_tensor(shape, contiguous_strides(shape), a.dtype(), common_device(a, b));
  const Shape out_strides{n, 1};
  matmul(out.device(), m, k, n, {out.data_ptr(), out.dtype(), out_strides.data()},
         {a.data_ptr(), a.dtype(), a_strides.data()}, {b.data_ptr(), b.dtype(), b_strides.data()});
  return out;
}

template <class NodeType>
void save_factors(NodeType& node, SavedTensor& first, SavedTensor& second, const Tensor& a, const Tensor& b) {
  if (node.next_edges()[0].is_valid()) second = SavedTensor(node, b, false);
  if (node.next_edges()[1].is_valid()) first = SavedTensor(node, a, false);
}

Tensor dot(const Tensor& self, const Tensor& tensor) {
  const auto node = record<DotBackward0>(self, tensor);
  if (node) save_factors(*node, node->self_, node->tensor_, self, tensor);
  if (self.dtype() != tensor.dtype()) throw messages::dot_dtype(self.dtype(), tensor.dtype());
  if (self.numel() != tensor.numel()) throw messages::dot_size_mismatch(self.numel(), tensor.numel());
  const std::int64_t k = self.numel();
  return linked(product(self, tensor, {}, 1, k, 1, {0, self.strides()[0]}, {tensor.strides()[0], 0}), node);
}

Tensor mv(const Tensor& self, const Tensor& vec) {
  const auto node = record<MvBackward0>(self, vec);
  if (node) save_factors(*node, node->self_, node->vec_, self, vec);
  if (self.shape()[1] != vec.shape()[0]) throw messages::mv_size_mismatch(self.shape(), vec.shape()[0]);
  if (self.dtype() != vec.dtype()) throw messages::mv_dtype(self.dtype(), vec.dtype());
  const std::int64_t m = self.shape()[0];
  return linked(product(self, vec, {m}, m, self.shape()[1], 1, self.strides(), {vec.strides()[0], 0}), node);
}

Tensor mm(const Tensor& self, const Tensor& mat2) {
  const auto node = record<MmBackward0>(self, mat2);
  if (node) {
    save_factors(*node, node->self_, node->mat2_, self, mat2);
    node->self_is_column_major_ = is_column_major(self);
    node->mat2_is_column_major_ = is_column_major(mat2);
  }
  if (self.shape()[1] != mat2.shape()[0]) throw messages::mm_shape_mismatch(self.shape(), mat2.shape());
  if (self.dtype() != mat2.dtype()) throw messages::mm_dtype(self.dtype(), mat2.dtype());
  const std::int64_t m = self.shape()[0];
  const std::int64_t n = mat2.shape()[1];
  return linked(product(self, mat2, {m, n}, m, self.shape()[1], n, self.strides(), mat2.strides()), node);
}

// squeeze_(0) of a fresh 1 x n result: same memory, one write counted.
Tensor squeeze_first_(const Tensor& self) {
  const auto node = record<SqueezeBackward4>(self);
  self.impl()->shape.erase(0);
  self.impl()->strides.erase(0);
  return written(self, node);
}

}  // namespace

Tensor Tensor::matmul(const Tensor& other) const {
  if (dim() == 0 || other.dim() == 0) throw messages::matmul_needs_1d(dim(), other.dim());
  if (dim() == 1 && other.dim() == 1) return dot(*this, other);
  if (dim() == 2 && other.dim() == 1) return mv(*this, other);
  if (dim() == 1 && other.dim() == 2) return squeeze_first_(mm(unsqueeze(0), other));
  if (dim() == 2 && other.dim() == 2) return mm(*this, other);
  throw messages::matmul_rank(dim(), other.dim());
}

}  // namespace gradlab
