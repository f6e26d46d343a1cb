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

// How far rounding alone moves each value of a tensor and of its gradient (NOTE [Rounding] in noise.h); empty: not asked.
struct Spread {
  std::vector<double> values;
  std::vector<double> grad;
};

// Whether two values may differ in their last bits only: relative 1e-5 and absolute 1e-6, or 1e-12 each for "float64", and
// twice `spread`; equal for a dtype without fractions. nan equals nan.
bool is_close(double expected, double got, std::string_view dtype, double spread = 0);

// Everything but the values compares exactly.
std::vector<Difference> compare(const std::string& tensor, const Observation& expected, const Observation& got,
                                const Spread& spread = {});

// Widens `spread` by what one run with noise shows instead of `got`.
void widen(Spread& spread, const Observation& got, const Observation& with_noise);

}  // namespace gradlab::conformance
