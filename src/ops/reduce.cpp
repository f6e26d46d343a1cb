// sum and mean over everything or over dimensions, and the reverse of broadcasting.
#include <algorithm>

#include "src/autograd/engine_ops.h"
#include "src/ops/arithmetic.h"
#include "src/ops/record.h"
#include "src/tensor/messages.h"

namespace gradlab {

namespace {

struct SumBackward0 final : OpNode<"SumBackward0"> {
  Shape shape_;
  TensorList apply(TensorList&& grad_outputs) override {
    const Tensor& grad = only(grad_outputs);
    return {grad.defined() ? grad.expand(shape_) : Tensor()};
  }
};

struct SumBackward1 final : OpNode<"SumBackward1"> {
  Shape shape_;
  Shape dims_;  // sorted
  bool keepdim_ = false;
  TensorList apply(TensorList&& grad_outputs) override {
    Tensor grad = only(grad_outputs);
    if (!grad.defined()) return {Tensor()};
    if (!keepdim_) {
      for (std::int64_t dim : dims_) grad = grad.unsqueeze(dim);
    }
    return {grad.expand(shape_)};
  }
};

struct MeanBackward0 final : OpNode<"MeanBackward0"> {
  Shape shape_;
  TensorList apply(TensorList&& grad_outputs) override {
    const Tensor& grad = only(grad_outputs);
    return {grad.defined() ? div_number(grad.expand(shape_), static_cast<double>(numel_of(shape_))) : Tensor()};
  }
};

// Sums of bool and int count in int64.
DType sum_type(DType dtype) { return is_floating_point(dtype) ? dtype : DType::kInt64; }

}  // namespace

Tensor Tensor::sum() const {
  const auto node = record<SumBackward0>(*this);
  if (node) node->shape_ = shape();
  return linked(call_reduce(ReduceOp::kSum, raw_to(*this, sum_type(dtype()))), node);
}

Tensor Tensor::sum(const Shape& dims, bool keepdim) const {
  const auto node = record<SumBackward1>(*this);
  InlineVector<bool, 8> reduced(static_cast<std::size_t>(std::max<std::int64_t>(dim(), 1)), false);
  for (std::int64_t d : dims) {
    const std::int64_t wrapped = wrap_dim(d, dim());
    bool& is_reduced = reduced[static_cast<std::size_t>(wrapped)];
    if (is_reduced) throw messages::repeated_dim(wrapped);
    is_reduced = true;
  }
  if (dims.empty()) std::ranges::fill(reduced, true);
  Shape kept_shape(shape());
  for (std::size_t d = 0; d < kept_shape.size(); ++d) {
    if (reduced[d]) kept_shape[d] = 1;
  }
  const Tensor in = raw_to(*this, sum_type(dtype()));
  Tensor out = make_tensor(kept_shape, like_strides(kept_shape, contiguous_strides(kept_shape)), in.dtype(), device());
  reduce(device(), ReduceOp::kSum, extent_of(shape()), reduced.data(), {out.data_ptr(), out.dtype(), out.strides().data()},
         {in.data_ptr(), in.dtype(), in.strides().data()});
  Shape summed;
  Shape left;
  for (std::size_t d = 0; d < kept_shape.size(); ++d) {
    if (reduced[d]) {
      summed.push_back(static_cast<std::int64_t>(d));
    } else {
      left.push_back(kept_shape[d]);
    }
  }
  if (!keepdim) {
    out.impl()->shape = left;
    out.impl()->strides = contiguous_strides(left);
  }
  if (node) {
    node->shape_ = shape();
    node->dims_ = summed;
    node->keepdim_ = keepdim;
  }
  return linked(out, node);
}

Tensor Tensor::mean() const {
  check_defined(*this);
  if (!is_floating_point(dtype())) throw messages::mean_dtype(dtype());
  const auto node = record<MeanBackward0>(*this);
  if (node) node->shape_ = shape();
  const Tensor total = call_reduce(ReduceOp::kSum, *this);
  binary_into(BinaryOp::kDiv, total, total, wrapped_number(static_cast<double>(numel())));
  return linked(total, node);
}

Tensor sum_to(const Tensor& tensor, const Shape& shape) {
  if (shape.empty()) return tensor.sum();  // of a 0-dim tensor too, as in PyTorch
  if (tensor.shape() == shape) return tensor;
  const std::size_t leading = tensor.shape().size() - shape.size();
  Shape dims;
  for (std::size_t d = 0; d < tensor.shape().size(); ++d) {
    if (d < leading || (shape[d - leading] == 1 && tensor.shape()[d] != 1)) dims.push_back(static_cast<std::int64_t>(d));
  }
  const Tensor summed = dims.empty() ? tensor : tensor.sum(dims, true);
  return leading > 0 ? summed.view(shape) : summed;
}

}  // namespace gradlab
