// Arithmetic with numbers, as gradients' formulas use it.
#pragma once

#include "src/tensor/tensor.h"

namespace gradlab {

// self / number as C++ code in PyTorch writes it: its node, DivBackward1, holds the number and saves no tensor, while Python's
// x / 3.0 saves the number as a tensor and records DivBackward0.
Tensor div_number(const Tensor& self, double number);

}  // namespace gradlab
