#include "src/ops/kernel_call.h"

#include <algorithm>
#include <array>

#include "src/tensor/messages.h"

namespace gradlab {

namespace {

// Python's tower: bool, int, float.
int category(DType dtype) {
  if (is_floating_point(dtype)) return 2;
  return dtype == DType::kBool ? 0 : 1;
}

// Within a category the wider one.
DType promote(DType a, DType b) {
  if (category(a) != category(b)) return category(a) > category(b) ? a : b;
  return size_bytes(a) >= size_bytes(b) ? a : b;
}

// 2: with dimensions, 1: 0-dim, 0: a Python number.
int priority(const Tensor& tensor) {
  if (tensor.impl()->is_wrapped_number) return 0;
  return tensor.dim() == 0 ? 1 : 2;
}

// A Python float next to integers makes the default dtype, not its own double.
DType as_operand(DType dtype, const Tensor& tensor) {
  return tensor.impl()->is_wrapped_number && dtype == DType::kFloat64 ? DType::kFloat32 : dtype;
}

bool acts_as_number(const Tensor& tensor, const Tensor& other) {
  return tensor.impl()->is_wrapped_number ||
         (tensor.dim() == 0 && tensor.device() == Device::kCpu && other.device() != Device::kCpu);
}

// An operand's strides over a shape: its own when it has that shape, which is nearly always.
class StridesOver {
 public:
  StridesOver(const Tensor& tensor, const Shape& shape) {
    if (tensor.shape() == shape) {
      data_ = tensor.strides().data();
    } else {
      expanded_ = expanded_strides(tensor.shape(), tensor.strides(), shape);
      data_ = expanded_.data();
    }
  }
  const std::int64_t* data() const { return data_; }

 private:
  Shape expanded_;
  const std::int64_t* data_;
};

Layout layout_of(const Tensor& tensor) { return {tensor.shape(), tensor.strides()}; }

}  // namespace

DType result_type(const Tensor& a, const Tensor& b) {
  if (a.dtype() == b.dtype() && priority(a) == priority(b)) return a.dtype();
  const DType type_a = as_operand(a.dtype(), a);
  const DType type_b = as_operand(b.dtype(), b);
  if (priority(a) == priority(b)) return promote(type_a, type_b);
  const bool a_leads = priority(a) > priority(b);
  const DType leading = a_leads ? type_a : type_b;
  const DType other = a_leads ? type_b : type_a;
  return category(other) > category(leading) ? other : leading;
}

DType result_type(const Tensor& tensor, const Scalar& number) {
  const DType kind = number.dtype() == DType::kFloat64 ? DType::kFloat32 : number.dtype();
  return category(kind) > category(tensor.dtype()) ? kind : tensor.dtype();
}

DType float_type(DType dtype) { return is_floating_point(dtype) ? dtype : DType::kFloat32; }

void check_can_cast(DType from, DType to) {
  if (category(from) > category(to)) throw messages::result_type_cast(from, to);
}

Tensor wrapped_number(const Scalar& value) {
  Tensor number = make_tensor({}, {}, value.dtype(), Device::kCpu);
  switch (value.dtype()) {
    case DType::kBool: *number.data_ptr<bool>() = value.value() != 0; break;
    case DType::kInt64: *number.data_ptr<std::int64_t>() = static_cast<std::int64_t>(value.value()); break;
    default: *number.data_ptr<double>() = value.value(); break;
  }
  number.impl()->is_wrapped_number = true;
  return number;
}

Extent extent_of(const Shape& shape) { return {static_cast<int>(shape.size()), shape.data()}; }

Shape strides_over(const Tensor& tensor, const Shape& shape) {
  return expanded_strides(tensor.shape(), tensor.strides(), shape);
}

Tensor raw_to(const Tensor& tensor, DType dtype) {
  if (tensor.dtype() == dtype) return tensor;
  Tensor result = make_tensor(tensor.shape(), like_strides(tensor.shape(), tensor.strides()), dtype, tensor.device());
  copy_into(result, tensor);
  return result;
}

Tensor raw_contiguous(const Tensor& tensor) {
  if (tensor.is_contiguous()) return tensor;
  Tensor result = make_tensor(tensor.shape(), contiguous_strides(tensor.shape()), tensor.dtype(), tensor.device());
  copy_into(result, tensor);
  return result;
}

Device common_device(const Tensor& a, const Tensor& b) {
  if (a.device() == b.device()) return a.device();
  if (acts_as_number(a, b)) return b.device();
  if (acts_as_number(b, a)) return a.device();
  throw messages::same_device_expected(a.device(), b.device());
}

Tensor call_unary(UnaryOp op, const Tensor& in) {
  const std::array operands{layout_of(in)};
  Tensor out = make_tensor(in.shape(), elementwise_strides(in.shape(), operands), in.dtype(), in.device());
  unary_into(op, out, in);
  return out;
}

namespace {

Tensor empty_result(const Tensor& a, const Tensor& b, DType dtype) {
  const Device device = common_device(a, b);
  if (a.shape() == b.shape() && a.is_contiguous() && b.is_contiguous()) {
    return make_tensor(a.shape(), contiguous_strides(a.shape()), dtype, device);
  }
  const Shape shape = broadcast_shapes(a.shape(), b.shape());
  const std::array operands{layout_of(a), layout_of(b)};
  return make_tensor(shape, elementwise_strides(shape, operands), dtype, device);
}

}  // namespace

Tensor call_binary(BinaryOp op, const Tensor& a, const Tensor& b, DType compute) {
  Tensor out = empty_result(a, b, compute);
  binary_into(op, out, a, b);
  return out;
}

Tensor call_binary(BinaryOp op, const Tensor& a, const Scalar& number, DType compute) {
  Shape strides = contiguous_strides(a.shape());
  if (strides != a.strides() || a.numel() == 0) {
    const std::array operands{layout_of(a), Layout{}};
    strides = elementwise_strides(a.shape(), operands);
  }
  Tensor out = make_tensor(a.shape(), strides, compute, a.device());
  const Tensor left = raw_to(a, compute);
  binary_scalar(out.device(), op, extent_of(out.shape()), {out.data_ptr(), compute, out.strides().data()},
                {left.data_ptr(), compute, left.strides().data()}, number.value());
  return out;
}

Tensor call_comparison(BinaryOp op, const Tensor& a, const Tensor& b) {
  Tensor out = empty_result(a, b, DType::kBool);
  const DType compute = result_type(a, b);
  const Tensor left = raw_to(a, compute);
  const Tensor right = raw_to(b, compute);
  const StridesOver left_strides(left, out.shape());
  const StridesOver right_strides(right, out.shape());
  binary(out.device(), op, extent_of(out.shape()), {out.data_ptr(), out.dtype(), out.strides().data()},
         {left.data_ptr(), compute, left_strides.data()}, {right.data_ptr(), compute, right_strides.data()});
  return out;
}

Tensor call_reduce(ReduceOp op, const Tensor& self) {
  Tensor out = make_tensor({}, {}, self.dtype(), self.device());
  const InlineVector<bool, 8> reduced(self.shape().size(), true);
  const Shape strides(self.shape().size(), 0);
  reduce(self.device(), op, extent_of(self.shape()), reduced.data(), {out.data_ptr(), out.dtype(), strides.data()},
         {self.data_ptr(), self.dtype(), self.strides().data()});
  return out;
}

void unary_into(UnaryOp op, const Tensor& out, const Tensor& in) {
  unary(out.device(), op, extent_of(out.shape()), {out.data_ptr(), out.dtype(), out.strides().data()},
        {in.data_ptr(), in.dtype(), in.strides().data()});
}

void binary_into(BinaryOp op, const Tensor& out, const Tensor& a, const Tensor& b) {
  const Operand target{out.data_ptr(), out.dtype(), out.strides().data()};
  const Extent extent = extent_of(out.shape());
  const auto fits = [&out](const Tensor& in) {
    return in.dtype() == out.dtype() && in.device() == out.device() && in.shape() == out.shape();
  };
  if (fits(a) && fits(b) && !a.impl()->is_wrapped_number && !b.impl()->is_wrapped_number) [[likely]] {
    binary(out.device(), op, extent, target, {a.data_ptr(), a.dtype(), a.strides().data()},
           {b.data_ptr(), b.dtype(), b.strides().data()});
    return;
  }
  if (fits(a) && b.impl()->is_wrapped_number) {
    binary_scalar(out.device(), op, extent, target, {a.data_ptr(), a.dtype(), a.strides().data()}, b.item());
    return;
  }
  if (acts_as_number(b, a)) {
    const Tensor left = raw_to(a, out.dtype());
    binary_scalar(out.device(), op, extent, target,
                  {left.data_ptr(), left.dtype(), StridesOver(left, out.shape()).data()}, b.item());
    return;
  }
  if (acts_as_number(a, b)) {
    const Tensor right = raw_to(b, out.dtype());
    scalar_binary(out.device(), op, extent, target, a.item(),
                  {right.data_ptr(), right.dtype(), StridesOver(right, out.shape()).data()});
    return;
  }
  const Tensor left = raw_to(a, out.dtype());
  const Tensor right = raw_to(b, out.dtype());
  const StridesOver left_strides(left, out.shape());
  const StridesOver right_strides(right, out.shape());
  binary(out.device(), op, extent, target, {left.data_ptr(), left.dtype(), left_strides.data()},
         {right.data_ptr(), right.dtype(), right_strides.data()});
}

void copy_into(const Tensor& out, const Tensor& in) {
  const Extent extent = extent_of(out.shape());
  if (out.device() == in.device()) {
    const StridesOver strides(in, out.shape());
    const Operand target{out.data_ptr(), out.dtype(), out.strides().data()};
    if (out.dtype() == in.dtype()) {
      unary(out.device(), UnaryOp::kCopy, extent, target, {in.data_ptr(), in.dtype(), strides.data()});
    } else {
      convert(out.device(), extent, target, {in.data_ptr(), in.dtype(), strides.data()});
    }
    return;
  }
  // Between devices whole dense blocks travel: packed there, sent, unpacked here.
  const Tensor packed = raw_contiguous(in);
  Tensor arrived = make_tensor(packed.shape(), packed.strides(), packed.dtype(), out.device());
  copy_bytes(out.device(), arrived.data_ptr(), in.device(), packed.data_ptr(),
             static_cast<std::size_t>(packed.numel()) * size_bytes(packed.dtype()));
  copy_into(out, arrived);
}

bool is_tangled(const Tensor& written, const Tensor& operand) {
  return operand.is_alias_of(written) && operand.device() == Device::kCpu && operand.dtype() == written.dtype() &&
         !(operand.storage_offset() == written.storage_offset() && operand.shape() == written.shape() &&
           operand.strides() == written.strides());
}

namespace {

// Calls f(element of out, element of in) over out's shape, dimensions with larger strides outside.
template <class F>
void for_each_pair(const Tensor& out, const Tensor& in, const F& f) {
  const Shape in_strides = strides_over(in, out.shape());
  Shape order;
  for (std::size_t d = 0; d < out.shape().size(); ++d) order.push_back(static_cast<std::int64_t>(d));
  std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
    return out.strides()[static_cast<std::size_t>(a)] > out.strides()[static_cast<std::size_t>(b)];
  });
  const auto item_bytes = static_cast<std::int64_t>(size_bytes(out.dtype()));
  for (std::int64_t i = 0; i < out.numel(); ++i) {
    std::int64_t rest = i, out_at = 0, in_at = 0;
    for (std::size_t d = order.size(); d-- > 0;) {
      const auto dim = static_cast<std::size_t>(order[d]);
      const std::int64_t index = rest % out.shape()[dim];
      rest /= out.shape()[dim];
      out_at += index * out.strides()[dim];
      in_at += index * in_strides[dim];
    }
    f(static_cast<char*>(out.data_ptr()) + out_at * item_bytes, static_cast<char*>(in.data_ptr()) + in_at * item_bytes);
  }
}

}  // namespace

void binary_one_by_one(BinaryOp op, const Tensor& out, const Tensor& operand) {
  const DType dtype = out.dtype();
  for_each_pair(out, operand, [&](void* to, const void* from) {
    binary(out.device(), op, {0, nullptr}, {to, dtype, nullptr}, {to, dtype, nullptr}, {from, dtype, nullptr});
  });
}

void copy_one_by_one(const Tensor& out, const Tensor& in) {
  const DType dtype = out.dtype();
  for_each_pair(out, in, [&](void* to, const void* from) {
    unary(out.device(), UnaryOp::kCopy, {0, nullptr}, {to, dtype, nullptr}, {from, dtype, nullptr});
  });
}

void fill_into(const Tensor& out, double value) {
  fill(out.device(), extent_of(out.shape()), {out.data_ptr(), out.dtype(), out.strides().data()}, value);
}

void check_broadcasts_into(const Tensor& written, const Tensor& operand) {
  if (written.shape() == operand.shape()) return;
  const Shape shape = broadcast_shapes(written.shape(), operand.shape());
  if (shape != written.shape()) throw messages::output_shape_mismatch(written.shape(), shape);
}

}  // namespace gradlab
