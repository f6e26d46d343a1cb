// Views: other looks at the same memory. What a view does to histories is the engine's affair (view.h); an op here only says
// where the elements lie and what its gradient is.
#include <algorithm>
#include <optional>

#include "src/autograd/engine_ops.h"
#include "src/ops/record.h"
#include "src/tensor/format.h"
#include "src/tensor/messages.h"

namespace gradlab {

namespace {

// The gradient keeps the input's shape: view and reshape.
template <FixedString kName>
struct ReshapeNode : OpNode<kName> {
  Shape shape_;
  TensorList apply(TensorList&& grad_outputs) final {
    const Tensor& grad = grad_outputs[0];
    return {grad.defined() ? grad.reshape(shape_) : Tensor()};
  }
};
struct ViewBackward0 final : ReshapeNode<"ViewBackward0"> {};
struct ReshapeAliasBackward0 final : ReshapeNode<"ReshapeAliasBackward0"> {};
struct UnsafeViewBackward0 final : ReshapeNode<"UnsafeViewBackward0"> {};

Tensor select_backward(const Tensor& grad, const Shape& shape, std::int64_t dim, std::int64_t index);
Tensor slice_backward(const Tensor& grad, const Shape& shape, std::int64_t dim, std::int64_t start);

struct SelectBackward0 final : OpNode<"SelectBackward0"> {
  Shape shape_;
  std::int64_t dim_ = 0;
  std::int64_t index_ = 0;
  TensorList apply(TensorList&& grad_outputs) override {
    const Tensor& grad = only(grad_outputs);
    return {grad.defined() ? select_backward(grad, shape_, dim_, index_) : Tensor()};
  }
};

struct SelectBackwardBackward0 final : OpNode<"SelectBackwardBackward0"> {
  std::int64_t dim_ = 0;
  std::int64_t index_ = 0;
  TensorList apply(TensorList&& grad_outputs) override {
    const Tensor& grad = only(grad_outputs);
    return {grad.defined() ? grad.select(dim_, index_) : Tensor()};
  }
};

struct SliceBackward0 final : OpNode<"SliceBackward0"> {
  Shape shape_;
  std::int64_t dim_ = 0;
  std::int64_t start_ = 0;
  TensorList apply(TensorList&& grad_outputs) override {
    const Tensor& grad = only(grad_outputs);
    return {grad.defined() ? slice_backward(grad, shape_, dim_, start_) : Tensor()};
  }
};

struct SliceBackwardBackward0 final : OpNode<"SliceBackwardBackward0"> {
  std::int64_t dim_ = 0;
  std::int64_t start_ = 0;
  std::int64_t length_ = 0;
  TensorList apply(TensorList&& grad_outputs) override {
    const Tensor& grad = only(grad_outputs);
    return {grad.defined() ? grad.narrow(dim_, start_, length_) : Tensor()};
  }
};

struct TBackward0 final : OpNode<"TBackward0"> {
  TensorList apply(TensorList&& grad_outputs) override {
    const Tensor& grad = only(grad_outputs);
    return {grad.defined() ? grad.t() : Tensor()};
  }
};

struct UnsqueezeBackward0 final : OpNode<"UnsqueezeBackward0"> {
  std::int64_t dim_ = 0;
  TensorList apply(TensorList&& grad_outputs) override {
    const Tensor& grad = only(grad_outputs);
    return {grad.defined() ? grad.squeeze(dim_) : Tensor()};
  }
};

struct SqueezeBackward1 final : OpNode<"SqueezeBackward1"> {
  std::int64_t dim_ = 0;
  bool was_one_ = false;
  TensorList apply(TensorList&& grad_outputs) override {
    const Tensor& grad = only(grad_outputs);
    if (!grad.defined()) return {Tensor()};
    return {was_one_ ? grad.unsqueeze(dim_) : grad};
  }
};

struct ExpandBackward0 final : OpNode<"ExpandBackward0"> {
  Shape shape_;
  TensorList apply(TensorList&& grad_outputs) override;
};

// The gradient that reached a strided part, laid into the whole. Algorithm: PyTorch's as_strided_backward, for geometries
// in which no two elements lie in one place except by a stride of 0.
struct AsStridedBackward0 final : OpNode<"AsStridedBackward0"> {
  Shape base_shape_;
  Shape base_strides_;
  std::int64_t base_offset_ = 0;
  Shape shape_;
  Shape strides_;
  std::int64_t offset_ = 0;
  TensorList apply(TensorList&& grad_outputs) override;
};

// Elements of storage that a strided tensor reaches, counted from its storage's start.
std::int64_t storage_extent(const Shape& shape, const Shape& strides, std::int64_t offset) {
  std::int64_t last = offset;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] == 0) return 0;
    last += (shape[d] - 1) * strides[d];
  }
  return last + 1;
}

TensorList AsStridedBackward0::apply(TensorList&& grad_outputs) {
  Tensor grad = only(grad_outputs);
  if (!grad.defined()) return {Tensor()};
  if (numel_of(shape_) == 0 || numel_of(base_shape_) == 0) {
    const Tensor nothing = zeros(base_shape_, grad.options());
    nothing.impl()->version.bump();  // in PyTorch zeros are filled in place, which counts
    return {nothing};
  }
  Shape shape;
  Shape strides;
  for (std::size_t d = shape_.size(); d-- > 0;) {
    if (shape_[d] == 1) {
      grad = grad.squeeze(static_cast<std::int64_t>(d));
    } else if (strides_[d] == 0) {
      grad = grad.sum({static_cast<std::int64_t>(d)});
    } else {
      shape.insert(0, shape_[d]);
      strides.insert(0, strides_[d]);
    }
  }
  const std::int64_t shared = std::min(base_offset_, offset_);
  const std::int64_t size = std::max(storage_extent(base_shape_, base_strides_, base_offset_ - shared),
                                     storage_extent(shape, strides, offset_ - shared));
  const Tensor storage = zeros({size}, grad.options());
  storage.as_strided(shape, strides, offset_ - shared).copy_(grad);
  // A base that repeats elements gets each one's gradient shared among its repeats.
  std::int64_t repeats = 1;
  for (std::size_t d = 0; d < base_shape_.size(); ++d) {
    if (base_strides_[d] == 0) repeats *= base_shape_[d];
  }
  if (repeats > 1) storage.div_(static_cast<double>(repeats));
  return {storage.as_strided(base_shape_, base_strides_, base_offset_ - shared)};
}

TensorList ExpandBackward0::apply(TensorList&& grad_outputs) {
  const Tensor& grad = only(grad_outputs);
  return {grad.defined() ? sum_to(grad, shape_) : Tensor()};
}

Tensor select_backward(const Tensor& grad, const Shape& shape, std::int64_t dim, std::int64_t index) {
  const auto node = record<SelectBackwardBackward0>(grad);
  if (node) {
    node->dim_ = dim;
    node->index_ = index;
  }
  const NoGradGuard no_grad;
  const Tensor whole = zeros(shape, grad.options());
  copy_into(whole.select(dim, index), grad);
  return linked(whole, node);
}

Tensor slice_backward(const Tensor& grad, const Shape& shape, std::int64_t dim, std::int64_t start) {
  const auto node = record<SliceBackwardBackward0>(grad);
  if (node) {
    node->dim_ = dim;
    node->start_ = start;
    node->length_ = grad.size(dim);
  }
  const NoGradGuard no_grad;
  const Tensor whole = zeros(shape, grad.options());
  copy_into(whole.narrow(dim, start, grad.size(dim)), grad);
  return linked(whole, node);
}

template <class NodeType>
Tensor reshaped_view(const Tensor& self, const Ref<NodeType>& node, const Shape& shape, const Shape& strides) {
  if (node) node->shape_ = self.shape();
  return linked(make_view(self, shape, strides, self.storage_offset()), node);
}

}  // namespace

Tensor Tensor::view(const Shape& target) const {
  const auto node = record<ViewBackward0>(*this);
  const Shape inferred = infer_size(target, numel());
  const std::optional<Shape> strides = view_strides(shape(), this->strides(), inferred);
  if (!strides) throw messages::incompatible_view();
  return reshaped_view(*this, node, inferred, *strides);
}

Tensor Tensor::view_as(const Tensor& other) const {
  check_defined(kSelfOther, *this, other);
  return view(other.shape());
}

Tensor Tensor::reshape(const Shape& target) const {
  check_defined(*this);
  if (is_contiguous()) return view(target);
  const Shape inferred = infer_size(target, numel());
  if (const std::optional<Shape> strides = view_strides(shape(), this->strides(), inferred)) {
    return reshaped_view(*this, record<ReshapeAliasBackward0>(*this), inferred, *strides);
  }
  const Tensor copy = clone_contiguous(*this);
  const auto node = record<UnsafeViewBackward0>(copy);
  if (node) node->shape_ = copy.shape();
  return linked(make_alias(copy, inferred, contiguous_strides(inferred), 0), node);
}

Tensor Tensor::select(std::int64_t dim, std::int64_t index) const {
  const auto node = record<SelectBackward0>(*this);  // first: a view that may not be used says so before anything else
  if (this->dim() == 0) throw messages::select_of_scalar();
  const std::int64_t wrapped_dim = wrap_dim(dim, this->dim());
  const auto d = static_cast<std::size_t>(wrapped_dim);
  const std::int64_t size = shape()[d];
  if (index < -size || index >= size) throw messages::select_index_out_of_range(index, shape(), wrapped_dim);
  const std::int64_t at = index < 0 ? index + size : index;
  if (node) {
    node->shape_ = shape();
    node->dim_ = wrapped_dim;
    node->index_ = at;
  }
  Shape left = shape();
  Shape left_strides = strides();
  left.erase(d);
  left_strides.erase(d);
  return linked(make_view(*this, left, left_strides, storage_offset() + at * strides()[d]), node);
}

Tensor Tensor::operator[](std::int64_t index) const {
  check_defined(*this);
  if (dim() == 0 && index == 0) throw messages::index_of_scalar();
  const std::int64_t size = dim() == 0 ? 0 : shape()[0];
  if (index < -size || index >= size) throw messages::index_out_of_range(index, 0, size);
  return select(0, index);
}

Tensor Tensor::narrow(std::int64_t dim, std::int64_t start, std::int64_t length) const {
  check_defined(*this);
  if (this->dim() == 0) throw messages::narrow_of_scalar();
  if (length < 0) throw messages::narrow_length_negative();
  const std::int64_t wrapped_dim = wrap_dim(dim, this->dim());
  const auto d = static_cast<std::size_t>(wrapped_dim);
  const std::int64_t size = shape()[d];
  if (start < -size || start > size) throw messages::narrow_start_out_of_range(start, size);
  const std::int64_t from = start < 0 ? start + size : start;
  if (from > size - length) throw messages::narrow_exceeds(from, length, size);
  const auto node = record<SliceBackward0>(*this);
  if (node) {
    node->shape_ = shape();
    node->dim_ = wrapped_dim;
    node->start_ = from;
  }
  Shape part = shape();
  part[d] = length;
  return linked(make_view(*this, part, strides(), storage_offset() + from * strides()[d]), node);
}

Tensor Tensor::t() const {
  const auto node = record<TBackward0>(*this);
  if (dim() > 2) throw messages::t_needs_at_most_2d(dim());
  Shape swapped = shape();
  Shape swapped_strides = strides();
  if (dim() == 2) {
    std::swap(swapped[0], swapped[1]);
    std::swap(swapped_strides[0], swapped_strides[1]);
  }
  return linked(make_view(*this, swapped, swapped_strides, storage_offset()), node);
}

Tensor Tensor::unsqueeze(std::int64_t dim) const {
  const auto node = record<UnsqueezeBackward0>(*this);
  const std::int64_t wrapped_dim = wrap_dim(dim, this->dim() + 1);
  const auto d = static_cast<std::size_t>(wrapped_dim);
  if (node) node->dim_ = wrapped_dim;
  Shape longer = shape();
  Shape longer_strides = strides();
  const std::int64_t stride = d < shape().size() ? shape()[d] * strides()[d] : 1;
  longer.insert(d, 1);
  longer_strides.insert(d, stride);
  return linked(make_view(*this, longer, longer_strides, storage_offset()), node);
}

Tensor Tensor::squeeze(std::int64_t dim) const {
  const auto node = record<SqueezeBackward1>(*this);
  const std::int64_t wrapped_dim = wrap_dim(dim, this->dim());
  const auto d = static_cast<std::size_t>(wrapped_dim);
  const bool is_one = this->dim() > 0 && shape()[d] == 1;
  if (node) {
    node->dim_ = wrapped_dim;
    node->was_one_ = is_one;
  }
  Shape left = shape();
  Shape left_strides = strides();
  if (is_one) {
    left.erase(d);
    left_strides.erase(d);
  }
  return linked(make_view(*this, left, left_strides, storage_offset()), node);
}

Tensor Tensor::expand(const Shape& target) const {
  const auto node = record<ExpandBackward0>(*this);
  const auto rank = static_cast<std::int64_t>(target.size());
  if (rank < dim()) {
    throw messages::expand_fewer_dims(tensor_type_name(dtype(), device()), shape(), target);
  }
  if (node) node->shape_ = shape();
  Shape expanded = target;
  Shape expanded_strides = target;
  for (std::int64_t d = rank - 1; d >= 0; --d) {
    const auto at = static_cast<std::size_t>(d);
    const std::int64_t own = d - (rank - dim());
    const std::int64_t size = own >= 0 ? shape()[static_cast<std::size_t>(own)] : 1;
    std::int64_t& wanted = expanded[at];
    if (wanted == -1 && dim() > 0) {
      if (own < 0) throw messages::expand_negative(wanted, d);
      wanted = size;
    }
    if (size != wanted && size != 1) throw messages::expand_mismatch(wanted, size, d, target, shape());
    if (size != wanted || dim() == 0) {
      expanded_strides[at] = 0;
    } else if (own >= 0) {
      expanded_strides[at] = strides()[static_cast<std::size_t>(own)];
    } else {  // a new dimension of size 1 lies like one that unsqueeze makes
      expanded_strides[at] = d + 1 < rank ? expanded[at + 1] * expanded_strides[at + 1] : 1;
    }
  }
  if (!is_countable(expanded)) throw messages::uncountable_elements();
  return linked(make_view(*this, expanded, expanded_strides, storage_offset()), node);
}

Tensor Tensor::as_strided(const Shape& target, const Shape& target_strides, std::int64_t offset) const {
  const Ref<AsStridedBackward0> node = record<AsStridedBackward0>(*this);
  const auto is_negative = [](std::int64_t value) { return value < 0; };
  if (target.size() != target_strides.size()) throw messages::stride_count();
  if (std::ranges::any_of(target_strides, is_negative)) throw messages::negative_stride(target_strides);
  if (std::ranges::any_of(target, is_negative)) throw messages::strided_size_overflow(target, target_strides);
  if (offset < 0) throw messages::negative_offset(offset);
  const auto item_bytes = static_cast<std::int64_t>(size_bytes(dtype()));
  const std::int64_t needed = storage_extent(target, target_strides, offset) * item_bytes;
  if (needed > static_cast<std::int64_t>(impl()->storage->size_bytes())) {
    throw messages::out_of_storage(target, target_strides, offset, size_bytes(dtype()), static_cast<std::size_t>(needed),
                                   impl()->storage->size_bytes());
  }
  if (node) {
    node->base_shape_ = shape();
    node->base_strides_ = strides();
    node->base_offset_ = storage_offset();
    node->shape_ = target;
    node->strides_ = target_strides;
    node->offset_ = offset;
  }
  return linked(make_view(*this, target, target_strides, offset), node);
}

Tensor Tensor::detach() const {
  check_defined(*this);
  const Tensor alias = make_alias(*this, shape(), strides(), storage_offset());
  if (Observer* observer = Observer::current()) [[unlikely]] {
    observer->created(alias, Origin::kDetach, "detach", nullptr, *this);
  }
  return alias;
}

Tensor Tensor::data() const {
  check_defined(*this);
  const Tensor alias = make_alias_with_own_version(*this);
  if (Observer* observer = Observer::current()) [[unlikely]] observer->created(alias, Origin::kData, "data", nullptr, *this);
  return alias;
}

Ref<Node> make_as_strided_node(const Tensor& base, const Tensor& view) {
  Ref<AsStridedBackward0> node = make_ref<AsStridedBackward0>();
  node->set_next_edges({gradient_edge(base)});
  node->add_input_metadata(view);
  node->base_shape_ = base.shape();
  node->base_strides_ = base.strides();
  node->base_offset_ = base.storage_offset();
  node->shape_ = view.shape();
  node->strides_ = view.strides();
  node->offset_ = view.storage_offset();
  return node;
}

}  // namespace gradlab
