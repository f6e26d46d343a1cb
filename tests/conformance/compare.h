// Where PyTorch and the engine differ.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tests/conformance/observe.h"

namespace gradlab::conformance {

struct Difference {
  std::string tensor;  // empty: the step itself
  std::string field;
  std::string expected;  // by PyTorch
  std::string got;       // from the engine
};

// Whether two values may differ in their last bits only: relative 1e-5 and absolute 1e-6, or 1e-12 each for "float64";
// equal for a dtype without fractions. nan equals nan.
bool is_close(double expected, double got, std::string_view dtype);

// Everything but the values compares exactly.
std::vector<Difference> compare(const std::string& tensor, const Observation& expected, const Observation& got);

}  // namespace gradlab::conformance
