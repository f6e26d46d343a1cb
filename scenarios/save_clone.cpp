// A repair: forward keeps a private copy, and the caller may write.
#include "scenarios/catalogue.h"
#include "src/autograd/function.h"
#include "src/lab/lab.h"

namespace gradlab {
namespace save_clone {

// clang-format off
WITH_SOURCE(kCloneSquareSource, struct CloneSquare : Function<CloneSquare> {
  static Tensor forward(Context& ctx, const Tensor& x) {
    ctx.save_for_backward(x.clone());
    return x * x;
  }
  static Tensor backward(Context& ctx, const Tensor& grad_output) {
    const Tensor x = ctx.saved_tensors()[0];
    return grad_output * 2 * x;
  }
};);
// clang-format on

constexpr Source kFunctions[] = {kCloneSquareSource};
constexpr ParameterSpec kParameters[] = {input_parameter("3"), kFactorParameter, kCountParameter};

void list_steps(Lab& lab) {
  const std::vector<double>& values = lab.values("x");
  const double& factor = lab.number("factor");
  const TensorOptions& requires_grad = lab.requires_grad();
  Tensor& x = lab.named("x");
  Tensor& y = lab.named("y");

  lab.setup(CODE(x = tensor(values, requires_grad)));
  lab.forward(CODE(y = CloneSquare::apply(x)));
  lab.write(CODE_NO_GRAD(x.mul_(factor)));
  lab.backward(CODE(y.sum().backward()));
  lab.observe("x", "x is now: ", [&] { return x.detach(); });
  lab.observe("x.grad", "x.grad: ", [&] { return x.grad(); });

  lab.claim("x was written in place", [&] { return x.version() == 1; });
  lab.claim("backward raises nothing", [&] { return !lab.error().has_value(); });
  lab.claim("the gradient is the one without the write",
            [&] { return same_gradient(x.grad(), lab.without_writes().named("x").grad()); });
}

}  // namespace save_clone

constinit const Scenario kSaveClone = {
    .name = "save-clone",
    .section = "15.3",
    .mistake = Mistake::kNone,
    .shows = "forward keeps a clone of x: the caller may write, and the gradient stays right",
    .question =
        "forward keeps x.clone() by save_for_backward, then x is multiplied in place. Error, wrong gradient, or "
        "neither?",
    .parameters = save_clone::kParameters,
    .functions = save_clone::kFunctions,
    .list_steps = save_clone::list_steps,
};

}  // namespace gradlab
