// A trap of section 15.2: forward called by hand computes the values and records no node.
#include <fmt/format.h>

#include "scenarios/catalogue.h"
#include "scenarios/functions.h"
#include "src/lab/lab.h"

namespace gradlab {
namespace forward_directly {

constexpr Source kFunctions[] = {kKernelGELUSource, kGeluExactSource, kGeluExactGradientSource};
constexpr ParameterSpec kParameters[] = {input_parameter("-1,0.5,2"), kCountParameter};

std::string recorded(const Tensor& y) {
  const Ref<Node> node = y.grad_fn();
  return fmt::format("requires_grad {} grad_fn {}", text_of(y.requires_grad()), node ? node->class_name() : "None");
}

void list_steps(Lab& lab) {
  const std::vector<double>& values = lab.values("x");
  const TensorOptions& requires_grad = lab.requires_grad();
  Tensor& x = lab.named("x");
  Tensor& y = lab.named("y");
  Tensor& z = lab.named("z");

  lab.setup(CODE(x = tensor(values, requires_grad)));
  lab.forward(CODE(Context by_hand; y = KernelGELU::forward(by_hand, x)));
  lab.forward(CODE(z = KernelGELU::apply(x)));
  lab.observe("same values", "same values? ", [&] { return equal(y, z); });
  lab.observe("forward", "forward: ", [&] { return recorded(y); });
  lab.observe("apply", "apply: ", [&] { return recorded(z); });
  lab.backward(CODE(y.sum().backward()));
  lab.measure("backward from y raises", [&] { return lab.error().has_value(); });
  lab.observe("error", "forward: backward -> ", [&] { return lab.error(); });
  lab.backward(CODE(z.sum().backward()));
  lab.observe("x.grad", "apply: x.grad ", [&] { return x.grad(); });

  lab.claim("both ways give the same values", [&] { return equal(y, z); });
  lab.claim("only apply leaves a grad_fn", [&] { return !y.grad_fn() && z.grad_fn(); });
  lab.claim("backward from the result of forward raises an error",
            [&] { return std::get<bool>(lab.observed("backward from y raises")); });
  lab.claim("backward from the result of apply reaches x", [&] { return x.grad().defined(); });
}

}  // namespace forward_directly

constinit const Scenario kForwardDirectly = {
    .name = "forward-directly",
    .section = "15.2",
    .mistake = Mistake::kLoud,
    .shows = "forward called without apply computes the values but records no node",
    .question =
        "A Function's forward is called by hand instead of through apply. Are the values right? Is the "
        "gradient?",
    .parameters = forward_directly::kParameters,
    .functions = forward_directly::kFunctions,
    .list_steps = forward_directly::list_steps,
};

}  // namespace gradlab
