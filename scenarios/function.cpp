// Section 15.2: the same kernel inside a Function, which gives the graph a node to walk through.
#include "scenarios/catalogue.h"
#include "scenarios/functions.h"
#include "src/lab/lab.h"

namespace gradlab {
namespace function {

constexpr Source kFunctions[] = {kTritonGELUSource, kGeluExactSource, kGeluExactGradientSource,
                                 kGeluKernelGradientSource};
constexpr std::string_view kBackwards[] = {"arithmetic", "kernel"};
constexpr ParameterSpec kParameters[] = {
    input_parameter("-1,0.5,2"),
    kCountParameter,
    {"backward", ParameterKind::kWord, kBackwards[0], "what backward computes with, also --backward", kBackwards}};

void list_steps(Lab& lab) {
  const std::vector<double>& values = lab.values("x");
  const TensorOptions& requires_grad = lab.requires_grad();
  Tensor& x = lab.named("x");
  Tensor& y = lab.named("y");
  Tensor& x2 = lab.named("x2");
  Tensor& y2 = lab.named("y2");
  const auto gradients_match = [&] { return allclose(x.grad(), x2.grad(), 1e-5, 1e-5); };

  lab.setup(CODE(x = tensor(values, requires_grad)));
  if (lab.word("backward") == "kernel") {
    lab.forward(CODE(y = kernel::TritonGELU::apply(x)));
  } else {
    lab.forward(CODE(y = TritonGELU::apply(x)));
  }
  lab.observe("y.requires_grad", "y.requires_grad: ", [&] { return y.requires_grad(); });
  lab.observe("y.grad_fn", "y.grad_fn: ", [&] { return y.grad_fn(); });
  lab.backward(CODE(y.sum().backward()));
  lab.observe("x.grad", "x.grad: ", [&] { return x.grad(); });

  lab.setup(CODE(x2 = tensor(values, requires_grad)));
  lab.forward(CODE(y2 = x2.gelu()));
  lab.backward(CODE(y2.sum().backward()));
  lab.observe("x2.grad", "torch GELU x2.grad: ", [&] { return x2.grad(); });
  lab.observe("gradients match", "gradients match? ", gradients_match);

  lab.claim("the Function's result has a grad_fn", [&] { return static_cast<bool>(y.grad_fn()); });
  lab.claim("the gradient is that of the built-in GELU", gradients_match);
}

}  // namespace function

constinit const Scenario kFunction = {
    .name = "function",
    .section = "15.2.1",
    .mistake = Mistake::kNone,
    .shows = "the same launch inside a Function is a node, and its gradient is the built-in GELU's",
    .question = "The same kernel is launched by a Function's forward. What is y.grad_fn now, and is x.grad right?",
    .parameters = function::kParameters,
    .functions = function::kFunctions,
    .list_steps = function::list_steps,
};

}  // namespace gradlab
