// Section 15.3: a tensor kept by save_for_backward is checked when backward reads it.
#include "scenarios/catalogue.h"
#include "scenarios/functions.h"
#include "src/lab/lab.h"

namespace gradlab {
namespace save_safe {

constexpr Source kFunctions[] = {kSafeSquareSource};
constexpr ParameterSpec kParameters[] = {input_parameter("3"), kFactorParameter, kCountParameter};

void list_steps(Lab& lab) {
  const std::vector<double>& values = lab.values("x");
  const double& factor = lab.number("factor");
  const TensorOptions& requires_grad = lab.requires_grad();
  Tensor& x = lab.named("x");
  Tensor& y = lab.named("y");

  lab.setup(CODE(x = tensor(values, requires_grad)));
  lab.forward(CODE(y = SafeSquare::apply(x)));
  lab.write(CODE_NO_GRAD(x.mul_(factor)));
  lab.backward(CODE(y.sum().backward()));
  lab.observe("error", "", [&] { return lab.error(); });

  lab.claim("backward refuses the tensor that was written", [&] { return lab.error().has_value(); });
  lab.claim("x.grad stays empty", [&] { return !x.grad().defined(); });
}

}  // namespace save_safe

constinit const Scenario kSaveSafe = {
    .name = "save-safe",
    .section = "15.3.1",
    .mistake = Mistake::kLoud,
    .shows = "save_for_backward notices that x was written between forward and backward",
    .question = "forward keeps x by save_for_backward, then x is multiplied in place. What does backward do?",
    .parameters = save_safe::kParameters,
    .functions = save_safe::kFunctions,
    .list_steps = save_safe::list_steps,
};

}  // namespace gradlab
