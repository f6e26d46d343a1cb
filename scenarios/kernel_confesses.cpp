// The same overwrite by a launcher that tells autograd: the version moves, and backward refuses.
#include "scenarios/catalogue.h"
#include "scenarios/functions.h"
#include "src/autograd/engine.h"
#include "src/lab/lab.h"

namespace gradlab {
namespace kernel_confesses {

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
  lab.write(CODE(scale_in_place(x, factor)));
  lab.write(CODE(increment_version(x)));
  lab.observe("version after", "x._version after the kernel: ", [&] { return std::to_string(x.version()); });
  lab.backward(CODE(y.sum().backward()));
  lab.observe("error", "", [&] { return lab.error(); });

  lab.claim("the version moved", [&] { return x.version() == 1; });
  lab.claim("backward refuses the tensor that was written", [&] { return lab.error().has_value(); });
  lab.claim("x.grad stays empty", [&] { return !x.grad().defined(); });
}

}  // namespace kernel_confesses

constinit const Scenario kKernelConfesses = {
    .name = "kernel-confesses",
    .section = "15.3",
    .mistake = Mistake::kLoud,
    .shows = "the same kernel, but the launcher reports the write by increment_version: backward refuses",
    .question =
        "A raw kernel writes over a saved x, and the launcher calls increment_version(x). What does backward do now?",
    .parameters = kernel_confesses::kParameters,
    .functions = kernel_confesses::kFunctions,
    .list_steps = kernel_confesses::list_steps,
};

}  // namespace gradlab
