// What a program can see of a tensor: the fields that programs.py records.
#pragma once

#include <array>
#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/tensor/tensor.h"

namespace gradlab::conformance {

// The fields that are compared as text.
enum Field : std::size_t {
  kShape,
  kStride,
  kOffset,
  kDtype,
  kVersion,
  kRequiresGrad,
  kIsLeaf,
  kGradFn,
  kOutputNr,
  kGradShape,
  kGradRequiresGrad,
  kFieldCount
};
inline constexpr std::array<std::string_view, kFieldCount> kFieldNames = {
    "shape",   "stride",  "offset",    "dtype",      "version",           "requires_grad",
    "is_leaf", "grad_fn", "output_nr", "grad_shape", "grad_requires_grad"};

struct Observation {
  // "[2, 3]", "true", "MulBackward0", "None", or "error: TEXT" where asking raised. Empty: not recorded, as grad_shape
  // without a grad.
  std::array<std::string, kFieldCount> texts;
  std::vector<double> values;  // row-major
  std::optional<std::vector<double>> grad;
};

// Asks in the order of programs.py: reading grad_fn makes a view regenerate it.
Observation observe(const Tensor& tensor);

// Takes over the fields that a step of a recording says have changed. Throws nlohmann::json::exception, or
// std::invalid_argument on a field it does not know.
void update(Observation& observation, const nlohmann::json& changes);

}  // namespace gradlab::conformance
