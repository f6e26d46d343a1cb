// What a reduction starts from and how it goes on, once, for the host and the device.
#pragma once

#include <limits>

#include "kernels/elementwise_math.h"
#include "kernels/reduce.h"

namespace gradlab {

// What T is summed in: float32 in float64, whose rounding then hardly counts.
template <class T>
using Accumulator = std::conditional_t<std::is_same_v<T, float>, double, T>;

template <class A>
inline constexpr A kLowest = std::numeric_limits<A>::has_infinity ? -std::numeric_limits<A>::infinity()
                                                                  : std::numeric_limits<A>::lowest();
template <class A>
inline constexpr A kHighest = std::numeric_limits<A>::has_infinity ? std::numeric_limits<A>::infinity()
                                                                   : std::numeric_limits<A>::max();

template <class A>
GRADLAB_HOST_DEVICE constexpr A reduction_identity(ReduceOp op) {
  return op == ReduceOp::kSum ? A(0) : op == ReduceOp::kMax ? kLowest<A> : kHighest<A>;
}

template <class A>
GRADLAB_HOST_DEVICE A reduced_pair(ReduceOp op, A a, A b) {
  if (op == ReduceOp::kSum) return apply<BinaryOp::kAdd>(a, b);
  return op == ReduceOp::kMax ? apply<BinaryOp::kMaximum>(a, b) : apply<BinaryOp::kMinimum>(a, b);
}

}  // namespace gradlab
