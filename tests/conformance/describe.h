// A step of a program in words.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace gradlab::conformance {

// As the Python statement that it stands for: "with no_grad: t3 = t1.mul(t2)", "t4 = SafeSquare.apply(t1)".
std::string describe(const nlohmann::json& step);

// What it does, for grouping: "mul_", "apply SafeSquare".
std::string kind_of(const nlohmann::json& step);

}  // namespace gradlab::conformance
