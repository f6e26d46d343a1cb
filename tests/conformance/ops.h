// The engine's operations by the names that steps of a program give them.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "src/tensor/tensor.h"
#include "tests/conformance/functions.h"

namespace gradlab::conformance {

// All three throw nlohmann::json::exception when the step lacks an argument, and what the engine throws.

// A Python int or float: as an operand it takes part in type promotion by its kind.
Scalar as_scalar(const nlohmann::json& number);

// The leaf that a step "tensor" makes.
Tensor make_leaf(const nlohmann::json& step);

// The result of an operation on `in`, of which the first is a tensor. Undefined when the step is none.
Tensor compute(const nlohmann::json& step, const std::vector<Argument>& in);

// Does a step that gives no result, as a write in place. False when the step is none.
bool act(const nlohmann::json& step, const std::vector<Argument>& in);

}  // namespace gradlab::conformance
