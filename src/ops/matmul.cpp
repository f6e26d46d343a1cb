// Products of vectors and matrices: dot, mv, mm, as torch.matmul chooses among them.
#include "kernels/matmul.h"

#include "src/ops/saves_operands.h"
#include "src/tensor/messages.h"

namespace gradlab {

namespace {

Tensor dot(const Tensor& self, const Tensor& tensor);
Tensor mv(const Tensor& self, const Tensor& vec);
Tensor mm(const Tensor& self, const Tensor& mat2);

bool is_column_major(const Tensor& matrix) { return matrix.strides()[0] == 1 && matrix.strides()[1] == matrix.shape()[0]; }

struct DotBackward0 final : SavesOperands<"DotBackward0", UnpackedFirst::kLeft, DotBackward0> {
  static constexpr OperandNames kOperands{"self", "tensor", ""};
  void differentiate(TensorList& grads, Tensor&& grad, const Tensor& self, const Tensor& tensor) {
    if (task_should_compute_output(0)) grads[0] = grad * tensor;
    if (task_should_compute_output(1)) grads[1] = grad * self;
  }
};

struct MvBackward0 final : SavesOperands<"MvBackward0", UnpackedFirst::kLeft, MvBackward0> {
  static constexpr OperandNames kOperands{"self", "vec", ""};
  void differentiate(TensorList& grads, Tensor&& grad, const Tensor& self, const Tensor& vec) {
    if (task_should_compute_output(0)) grads[0] = grad.reshape({grad.numel(), 1}) * vec;
    if (task_should_compute_output(1)) grads[1] = mv(self.t(), grad);
  }
};

// Each gradient comes out in its operand's own layout.
struct MmBackward0 final : SavesOperands<"MmBackward0", UnpackedFirst::kRight, MmBackward0> {
  static constexpr OperandNames kOperands{"self", "mat2", ""};
  bool self_is_column_major_ = false;
  bool mat2_is_column_major_ = false;
  void differentiate(TensorList& grads, Tensor&& grad, const Tensor& self, const Tensor& mat2) {
    if (task_should_compute_output(1)) {
      grads[1] = mat2_is_column_major_ ? mm(grad.t(), self).t() : mm(self.t(), grad);
    }
    if (task_should_compute_output(0)) {
      grads[0] = self_is_column_major_ ? mm(mat2, grad.t()).t() : mm(grad, mat2.t());
    }
  }
};

// The metadata-only squeeze_ that ends vector times matrix.
struct SqueezeBackward4 final : OpNode<"SqueezeBackward4"> {
  TensorList apply(TensorList&& grad_outputs) override {
    const Tensor& grad = only(grad_outputs);
    return {grad.defined() ? grad.unsqueeze(0) : Tensor()};
  }
};

// A vector on the left is a row, on the right a column. `kernel` is PyTorch's, which an error names.
Tensor product(std::string_view kernel, const Tensor& a, const Tensor& b) {
  const DType dtype = a.dtype();
  const std::int64_t m = a.dim() == 2 ? a.shape()[0] : 1;
  const std::int64_t k = b.shape()[0];
  const std::int64_t n = b.dim() == 2 ? b.shape()[1] : 1;
  if (dtype == DType::kBool && (a.dim() == 1 || m * k * n > 0)) throw messages::not_implemented_for(kernel, dtype);
  if (!is_floating_point(dtype)) {  // through float64, which is exact for sums below 2^53
    return raw_to(product(kernel, raw_to(a, DType::kFloat64), raw_to(b, DType::kFloat64)), dtype);
  }
  Shape shape;
  if (a.dim() == 2) shape.push_back(m);
  if (b.dim() == 2) shape.push_back(n);
  const Shape a_strides = a.dim() == 2 ? a.strides() : Shape{0, a.strides()[0]};
  const Shape b_strides = b.dim() == 2 ? b.strides() : Shape{b.strides()[0], 0};
  const Shape out_strides{n, 1};
  Tensor out = make_tensor(shape, contiguous_strides(shape), dtype, common_device(a, b));
  matmul(out.device(), m, k, n, {out.data_ptr(), dtype, out_strides.data()}, {a.data_ptr(), dtype, a_strides.data()},
         {b.data_ptr(), dtype, b_strides.data()});
  return out;
}

Tensor dot(const Tensor& self, const Tensor& tensor) {
  const auto node = record<DotBackward0>(self, tensor);
  if (node) node->save_factors(self, tensor);
  if (self.dtype() != tensor.dtype()) throw messages::dot_dtype(self.dtype(), tensor.dtype());
  if (self.numel() != tensor.numel()) throw messages::dot_size_mismatch(self.numel(), tensor.numel());
  return linked(product("dot", self, tensor), node);
}

Tensor mv(const Tensor& self, const Tensor& vec) {
  const auto node = record<MvBackward0>(self, vec);
  if (node) node->save_factors(self, vec);
  if (self.shape()[1] != vec.shape()[0]) throw messages::mv_size_mismatch(self.shape(), vec.shape()[0]);
  if (self.dtype() != vec.dtype()) throw messages::mv_dtype(self.dtype(), vec.dtype());
  return linked(product("addmv_impl_cpu", self, vec), node);
}

Tensor mm(const Tensor& self, const Tensor& mat2) {
  const auto node = record<MmBackward0>(self, mat2);
  if (node) {
    node->save_factors(self, mat2);
    node->self_is_column_major_ = is_column_major(self);
    node->mat2_is_column_major_ = is_column_major(mat2);
  }
  if (self.shape()[1] != mat2.shape()[0]) throw messages::mm_shape_mismatch(self.shape(), mat2.shape());
  if (self.dtype() != mat2.dtype()) throw messages::mm_dtype(self.dtype(), mat2.dtype());
  return linked(product("addmm_impl_cpu_", self, mat2), node);
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
  check_defined(*this);
  check_defined({"self", dim() == 1 ? "tensor" : "vec", ""}, *this, other);
  if (dim() == 0 || other.dim() == 0) throw messages::matmul_needs_1d(dim(), other.dim());
  if (dim() == 1 && other.dim() == 1) return dot(*this, other);
  if (dim() == 2 && other.dim() == 1) return mv(*this, other);
  if (dim() == 1 && other.dim() == 2) return squeeze_first_(mm(unsqueeze(0), other));
  if (dim() == 2 && other.dim() == 2) return mm(*this, other);
  throw messages::matmul_rank(dim(), other.dim());
}

}  // namespace gradlab
