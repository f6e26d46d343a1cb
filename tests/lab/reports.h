// Reports made by hand, for the tests of the renderers.
#pragma once

#include <cmath>
#include <limits>

#include "src/lab/report.h"

namespace gradlab::test {

inline Report hand_made_report() {
  Report report;
  report.name = "hand-made";
  report.section = "15.9";
  report.parameters = {{"x", ParameterKind::kValues, "3,nan", {3.0, std::numeric_limits<double>::quiet_NaN()}},
                       {"factor", ParameterKind::kNumber, "2.5", {2.5}},
                       {"n", ParameterKind::kCount, "2", {2.0}}};
  report.steps = {
      {1, StepRole::kSetup, "x = tensor(values)", "scenarios/hand_made.cpp", 12, std::nullopt},
      {2, StepRole::kBackward, "x.backward()", "scenarios/hand_made.cpp", 13, ErrorValue{"RuntimeError", "no way"}}};
  report.observations = {
      {"flag", "x.requires_grad: ", true, true},
      {"none", "x.grad: ", std::monostate(), true},
      {"hidden", "", Numbers{{3.0, 0.5}, 2}, false},
      {"node", "y.grad_fn: ", NodeValue{"TBackward", "<TBackward at ...>", "<TBackward at 0x1f>"}, true},
      {"tensor", "y: ", TensorValue{"tensor([-inf])", {1}, {{-INFINITY}, 1}}, true},
      {"error", "", ErrorValue{"RuntimeError", "no way"}, true}};
  report.claims = {{"it raises", true}, {"the moon is green", false}};
  return report;
}

}  // namespace gradlab::test
