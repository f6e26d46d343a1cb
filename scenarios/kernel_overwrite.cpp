// A raw kernel writes over a tensor that save_for_backward holds, and the version that is checked does not move.
#include "scenarios/catalogue.h"
#include "scenarios/functions.h"
#include "src/lab/lab.h"

namespace gradlab {
namespace kernel_overwrite {

constexpr Source kFunctions[] = {kSafeSquareSource, kScaleInPlaceSource};
constexpr ParameterSpec kParameters[] = {input_parameter("3"), kFactorParameter, kCountParameter};

void list_steps(Lab& lab) {
  const std::vector<double>& values = lab.values("x");
  const double& factor = lab.number("factor");
  const TensorOptions& requires_grad = lab.requires_grad();
  Tensor& x = lab.named("x");
  Tensor& y = lab.named("y");

  lab.setup(CODE(x = tensor(values, requires_grad)));
  lab.forward(CODE(y = SafeSquare::apply(x)));
  lab.observe("version before", "x._version before the kernel: ", [&] { return std::to_string(x.version()); });
  // Wrong on purpose: x is saved, and whoever launches the kernel does not say that it was written.
  lab.write(CODE(scale_in_place(x, factor)));
  lab.observe("version after", "x._version after the kernel: ", [&] { return std::to_string(x.version()); });
  lab.observe("x", "x is now: ", [&] { return x.detach(); });
  lab.backward(CODE(y.sum().backward()));
  lab.observe("x.grad", "backward succeeded silently, x.grad: ", [&] { return x.grad(); });

  lab.claim("the kernel leaves x's version where it was",
            [&] { return text_of(lab.observed("version before")) == text_of(lab.observed("version after")); });
  lab.claim("backward raises nothing", [&] { return !lab.error().has_value(); });
  lab.claim("the gradient differs from the one without the write",
            [&] { return !same_gradient(x.grad(), lab.without_writes().named("x").grad()); });
}

}  // namespace kernel_overwrite

constinit const Scenario kKernelOverwrite = {
    .name = "kernel-overwrite",
    .section = "15.3",
    .mistake = Mistake::kSilent,
    .shows = "a raw kernel writes over a saved tensor: its version stays, and the gradient is wrong",
    .question =
        "forward keeps x by save_for_backward, then a raw kernel multiplies x's memory. Does the version check notice?",
    .parameters = kernel_overwrite::kParameters,
    .functions = kernel_overwrite::kFunctions,
    .list_steps = kernel_overwrite::list_steps,
};

}  // namespace gradlab
