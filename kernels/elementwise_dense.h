// Internal to kernels/: each elementwise op on the CPU over dense operands, behind one signature.
#pragma once

#include <cstdint>

#include "kernels/elementwise.h"

namespace gradlab::cpu {

// Writes n elements to out from up to three inputs in order; out may be an input.
using DenseKernel = void (*)(void* out, const void* const* in, std::int64_t n);

// A kernel and about what it costs, in nanoseconds for 16 elements.
struct DenseOp {
  DenseKernel kernel;
  int cost;
};

// Null kernels where the op does not take the dtype.
const DenseOp& unary_dense(UnaryOp op, DType dtype);
const DenseOp& binary_dense(BinaryOp op, DType dtype);
const DenseOp& where_dense(DType dtype);                // inputs: condition, a, b
const DenseOp& clamp_dense(DType dtype);                // inputs: the value, low, high
const DenseOp& convert_dense(DType to, DType from);

}  // namespace gradlab::cpu
