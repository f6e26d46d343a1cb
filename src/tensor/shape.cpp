#include "src/tensor/shape.h"

#include <numeric>

#include "src/tensor/messages.h"

namespace gradlab {

void throw_too_many_elements(ShapeView shape) { throw messages::too_many_elements(shape); }

bool is_non_overlapping_and_dense(ShapeView shape, ShapeView strides) {
  if (is_contiguous(shape, strides)) return true;
  InlineVector<std::size_t, 8> order(shape.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    if (shape[a] < 2) return false;
    return shape[b] < 2 || strides[a] < strides[b];
  });
  std::int64_t expected = 1;
  for (std::size_t d : order) {
    if (shape[d] < 2) return true;
    if (strides[d] != expected) return false;
    expected *= shape[d];
  }
  return true;
}

Shape broadcast_shapes(ShapeView a, ShapeView b) {
  const std::size_t rank = std::max(a.size(), b.size());
  Shape shape(rank);
  for (std::size_t i = 1; i <= rank; ++i) {
    const std::int64_t size_a = i <= a.size() ? a[a.size() - i] : 1;
    const std::int64_t size_b = i <= b.size() ? b[b.size() - i] : 1;
    if (size_a != size_b && size_a != 1 && size_b != 1) {
      throw messages::size_mismatch(size_a, size_b, static_cast<std::int64_t>(rank - i));
    }
    shape[rank - i] = size_a == 1 ? size_b : size_a;
  }
  return shape;
}

bool is_expandable_to(ShapeView shape, ShapeView target) {
  if (shape.size() > target.size()) return false;
  for (std::size_t i = 1; i <= shape.size(); ++i) {
    const std::int64_t size = shape[shape.size() - i];
    if (size != target[target.size() - i] && size != 1) return false;
  }
  return true;
}

Shape expanded_strides(ShapeView shape, ShapeView strides, ShapeView target) {
  Shape expanded(target.size(), 0);
  const std::size_t added = target.size() - shape.size();
  for (std::size_t d = 0; d < shape.size(); ++d) {
    expanded[added + d] = shape[d] == 1 && target[added + d] != 1 ? 0 : strides[d];
  }
  return expanded;
}

std::optional<Shape> view_strides(ShapeView shape, ShapeView strides, ShapeView target) {
  if (shape.empty()) return Shape(target.size(), 1);
  const std::int64_t numel = numel_of(shape);
  if (numel == 0) {
    if (std::ranges::equal(shape, target)) return Shape(strides);
    return contiguous_strides(target);
  }
  // Walks both shapes from the right, matching each run of dimensions that lies evenly in memory with target dimensions.
  Shape result(target.size());
  std::size_t target_left = target.size();
  std::int64_t run_stride = strides.back();
  std::int64_t run_numel = 1;
  std::int64_t target_numel = 1;
  for (std::size_t d = shape.size(); d-- > 0;) {
    run_numel *= shape[d];
    const bool run_ends = d == 0 || (shape[d - 1] != 1 && strides[d - 1] != run_numel * run_stride);
    if (!run_ends) continue;
    while (target_left > 0 && (target_numel < run_numel || target[target_left - 1] == 1)) {
      result[target_left - 1] = target_numel * run_stride;
      target_numel *= target[target_left - 1];
      --target_left;
    }
    if (target_numel != run_numel) return std::nullopt;
    if (d > 0) {
      run_stride = strides[d - 1];
      run_numel = 1;
      target_numel = 1;
    }
  }
  if (target_left != 0) return std::nullopt;
  return result;
}

bool is_countable(ShapeView shape) {
  std::int64_t numel = 1;
  return std::ranges::none_of(shape, [&](std::int64_t size) { return size < 0 || __builtin_mul_overflow(numel, size, &numel); });
}

Shape infer_size(ShapeView shape, std::int64_t numel) {
  std::int64_t known = 1;
  bool is_too_large = false;
  std::optional<std::size_t> inferred;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] == -1) {
      if (inferred) throw messages::only_one_dim_inferred();
      inferred = d;
    } else if (shape[d] < 0) {
      throw messages::invalid_shape_dim(shape[d], d, shape);
    } else {
      is_too_large = __builtin_mul_overflow(known, shape[d], &known) || is_too_large;
    }
  }
  Shape result(shape);
  const bool fits = known == numel || (inferred && known > 0 && numel % known == 0);
  if (!fits || is_too_large) throw messages::invalid_view_shape(shape, numel);
  if (inferred) {
    if (known == 0) throw messages::ambiguous_view_shape(shape);
    result[*inferred] = numel / known;
  }
  return result;
}

namespace {

using Order = InlineVector<std::size_t, 8>;

// Sorts dimensions from the innermost out. `compare(a, b)` is positive when a belongs further out than b, negative when
// further in, and 0 when the operands do not decide: then the row-major order stands.
template <class Compare>
Order order_dimensions(std::size_t rank, Compare compare) {
  Order order(rank);
  for (std::size_t i = 0; i < rank; ++i) order[i] = rank - 1 - i;
  for (std::size_t i = 1; i < rank; ++i) {
    std::size_t at = i;
    for (std::size_t j = i; j-- > 0;) {
      const int result = compare(order[j], order[at]);
      if (result > 0) {
        std::swap(order[j], order[at]);
        at = j;
      } else if (result < 0) {
        break;
      }
    }
  }
  return order;
}

int compare_strides(ShapeView shape, ShapeView strides, std::size_t a, std::size_t b) {
  if (strides[a] == 0 || strides[b] == 0) return 0;
  if (strides[a] != strides[b]) return strides[a] < strides[b] ? -1 : 1;
  return shape[a] > shape[b] ? 1 : 0;
}

Shape dense_strides(ShapeView shape, const Order& order) {
  if (!is_countable(shape)) throw_too_many_elements(shape);
  Shape strides(shape.size());
  std::int64_t stride = 1;
  for (std::size_t d : order) {
    strides[d] = stride;
    stride *= shape[d];
  }
  return strides;
}

}  // namespace

Shape elementwise_strides(ShapeView shape, std::span<const Layout> operands) {
  const Layout& first = operands.front();
  const bool same_shape = std::ranges::all_of(operands, [&](const Layout& o) { return std::ranges::equal(o.shape, shape); });
  if (same_shape) {
    if (std::ranges::all_of(operands, [](const Layout& o) { return is_contiguous(o.shape, o.strides); })) {
      return contiguous_strides(shape);
    }
    const bool same_strides = std::ranges::all_of(
        operands, [&](const Layout& o) { return std::ranges::equal(o.strides, first.strides); });
    if (same_strides && is_non_overlapping_and_dense(shape, first.strides)) return Shape(first.strides);
  }
  if (shape.size() <= 1) return contiguous_strides(shape);

  InlineVector<Shape, 3> strides;
  for (const Layout& o : operands) strides.push_back(expanded_strides(o.shape, o.strides, shape));
  const Order order = order_dimensions(shape.size(), [&](std::size_t a, std::size_t b) {
    for (const Shape& s : strides) {
      if (const int result = compare_strides(shape, s, a, b); result != 0) return result;
    }
    return 0;
  });
  const bool row_major = std::ranges::is_sorted(order, std::ranges::greater());
  return row_major ? contiguous_strides(shape) : dense_strides(shape, order);
}

Shape like_strides(ShapeView shape, ShapeView strides) {
  if (is_non_overlapping_and_dense(shape, strides)) return Shape(strides);
  return dense_strides(shape, order_dimensions(shape.size(), [&](std::size_t a, std::size_t b) {
                         return compare_strides(shape, strides, a, b);
                       }));
}

std::int64_t wrap_dim(std::int64_t dim, std::int64_t rank) {
  const std::int64_t range = std::max<std::int64_t>(rank, 1);
  if (dim < -range || dim >= range) throw messages::dim_out_of_range(dim, range);
  return dim < 0 ? dim + range : dim;
}

}  // namespace gradlab
