// How kernels see an operand: a pointer and a stride for each dimension. Nothing here knows what a tensor is.
#pragma once

#include <cstdint>

#include "kernels/dtype.h"

namespace gradlab {

// One operand of an elementwise kernel. `strides` has one entry per dimension of the iteration shape, in elements; 0
// repeats the value along that dimension. `data` points at the element with index (0, 0, ...).
struct Operand {
  void* data;
  DType dtype;
  const std::int64_t* strides;
};

struct ConstOperand {
  const void* data;
  DType dtype;
  const std::int64_t* strides;
};

// The shape iterated over. rank 0 is one element; any size 0 means there is nothing to do.
struct Extent {
  int rank;
  const std::int64_t* sizes;
};

}  // namespace gradlab
