// Matrix product on strided matrices.
#pragma once

#include "kernels/device.h"
#include "kernels/strided.h"

namespace gradlab {

// out[m, n] = sum over k of a[m, k] * b[k, n]. Each operand has two strides, in elements; float32 or float64, all alike.
// k = 0 writes zeros. out overlaps neither input.
void matmul(Device device, std::int64_t m, std::int64_t k, std::int64_t n, Operand out, ConstOperand a, ConstOperand b);

}  // namespace gradlab
