// A Python number: bool, int or float. As an operand it takes part in type promotion by its kind only.
#pragma once

#include <concepts>
#include <cstdint>

#include "kernels/dtype.h"

namespace gradlab {

class Scalar {
 public:
  Scalar(bool value) : value_(value ? 1.0 : 0.0), dtype_(DType::kBool) {}
  template <std::integral I>
    requires(!std::same_as<I, bool>)
  Scalar(I value) : value_(static_cast<double>(value)), dtype_(DType::kInt64) {}
  template <std::floating_point F>
  Scalar(F value) : value_(static_cast<double>(value)), dtype_(DType::kFloat64) {}

  double value() const { return value_; }
  // kBool, kInt64 or kFloat64: the kind of number it is.
  DType dtype() const { return dtype_; }

 private:
  double value_;  // exact for integers up to 2^53
  DType dtype_;
};

}  // namespace gradlab
