// Internal to kernels/: a reduction as two loops, over what is kept and over what is reduced.
#pragma once

#include "kernels/iteration.h"

namespace gradlab {

struct ReduceLoops {
  Iteration kept;     // operands: out, in; one element when everything is reduced
  Iteration reduced;  // operand: in; one element when nothing is
};

// Throws std::length_error as collapse does.
ReduceLoops reduce_loops(Extent extent, const bool* reduced, const std::int64_t* out_strides, const std::int64_t* in_strides);

}  // namespace gradlab
