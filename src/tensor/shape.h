// Shapes and strides: pure functions on lists of integers. Sizes and strides are in elements.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>

#include "src/tensor/inline_vector.h"

namespace gradlab {

using Shape = InlineVector<std::int64_t, 2>;
using ShapeView = std::span<const std::int64_t>;

// Number of elements; 1 for rank 0. Throws Error when it does not fit into 63 bits.
inline std::int64_t numel_of(ShapeView shape);
[[noreturn]] void throw_too_many_elements(ShapeView shape);

// No size is negative, and the number of elements fits into 63 bits.
bool is_countable(ShapeView shape);

// Row-major strides. Throws like numel_of().
inline Shape contiguous_strides(ShapeView shape);

// Row-major, dimensions of size 1 set aside. A tensor without elements is contiguous.
inline bool is_contiguous(ShapeView shape, ShapeView strides);

// Some permutation of the dimensions is contiguous: no gaps, no two indices on one element.
bool is_non_overlapping_and_dense(ShapeView shape, ShapeView strides);

// The shape that both broadcast to. Throws PyTorch's "The size of tensor a (3) must match ..." error.
Shape broadcast_shapes(ShapeView a, ShapeView b);

// Whether `shape` can be expanded to `target` without changing its elements.
bool is_expandable_to(ShapeView shape, ShapeView target);

// Strides that repeat a tensor over `target`, to which it is expandable.
Shape expanded_strides(ShapeView shape, ShapeView strides, ShapeView target);

// Strides with which a tensor's elements can be seen as `target` without copying, if there are any.
std::optional<Shape> view_strides(ShapeView shape, ShapeView strides, ShapeView target);

// Replaces a single -1 by what makes the number of elements right. Throws PyTorch's "shape '[...]' is invalid ..." error.
Shape infer_size(ShapeView shape, std::int64_t numel);

struct Layout {
  ShapeView shape;
  ShapeView strides;
};

// Strides of the fresh result of an elementwise op over `operands`, which broadcast to `shape`: dimensions ordered as in the
// first operand that decides, without gaps. Rule: PyTorch's TensorIterator, asked by running it.
Shape elementwise_strides(ShapeView shape, std::span<const Layout> operands);

// Strides of an empty_like or clone of a tensor: its own if it is dense, else its order of dimensions without gaps.
Shape like_strides(ShapeView shape, ShapeView strides);

// A dimension counted from the end made non-negative. Throws PyTorch's IndexError.
std::int64_t wrap_dim(std::int64_t dim, std::int64_t rank);

// ---- the ones that every op calls ----

inline std::int64_t numel_of(ShapeView shape) {
  std::int64_t numel = 1;
  for (std::int64_t size : shape) {
    if (__builtin_mul_overflow(numel, size, &numel)) throw_too_many_elements(shape);
  }
  return numel;
}

inline Shape contiguous_strides(ShapeView shape) {
  Shape strides(shape.size());
  std::int64_t stride = 1;
  for (std::size_t d = shape.size(); d-- > 0;) {
    strides[d] = stride;
    if (__builtin_mul_overflow(stride, std::max<std::int64_t>(shape[d], 1), &stride)) throw_too_many_elements(shape);
  }
  return strides;
}

inline bool is_contiguous(ShapeView shape, ShapeView strides) {
  std::int64_t expected = 1;
  bool contiguous = true;
  for (std::size_t d = shape.size(); d-- > 0;) {
    if (shape[d] == 0) return true;
    if (shape[d] == 1) continue;
    contiguous = contiguous && strides[d] == expected;
    expected *= shape[d];
  }
  return contiguous;
}

}  // namespace gradlab
