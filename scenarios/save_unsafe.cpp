// Section 15.3: a tensor kept as ctx.x is not checked; backward takes what it finds.
#include <fmt/format.h>

#include "scenarios/catalogue.h"
#include "src/autograd/function.h"
#include "src/lab/lab.h"
#include "src/lab/number_text.h"

namespace gradlab {
namespace save_unsafe {

// Wrong on purpose: x should be kept by save_for_backward.
// clang-format off
WITH_SOURCE(kUnsafeSquareSource, struct UnsafeSquare : Function<UnsafeSquare> {
  static Tensor forward(Context& ctx, const Tensor& x) {
    ctx.saved_data["x"] = x;
    return x * x;
  }
  static Tensor backward(Context& ctx, const Tensor& grad_output) {
    const Tensor x = ctx.saved_data["x"].to_tensor();
    return grad_output * 2 * x;
  }
};);
// clang-format on

constexpr Source kFunctions[] = {kUnsafeSquareSource};
constexpr ParameterSpec kParameters[] = {input_parameter("3"), kFactorParameter, kCountParameter};

// The right and the obtained gradient side by side, each with the derivative 2*x at the x that it belongs to.
std::string comparison(const Lab& lab, bool is_wrong) {
  const auto& before = std::get<Numbers>(lab.observed("x at forward"));
  const auto& after = std::get<Numbers>(lab.observed("x at backward"));
  const auto& right = std::get<Numbers>(lab.observed("right gradient"));
  const auto& obtained = std::get<Numbers>(lab.observed("obtained gradient"));
  const std::string at_forward =
      fmt::format("correct gradient at x={0} would be 2*{0}={1}", short_text(before), float_text(right));
  if (!is_wrong) return fmt::format("({} -- the write made no difference: {})", at_forward, float_text(obtained));
  return fmt::format("({0} -- this used the MUTATED x={1} instead, giving 2*{1}={2})", at_forward, short_text(after),
                     float_text(obtained));
}

void list_steps(Lab& lab) {
  const std::vector<double>& values = lab.values("x");
  const double& factor = lab.number("factor");
  const TensorOptions& requires_grad = lab.requires_grad();
  Tensor& x2 = lab.named("x2");
  Tensor& y2 = lab.named("y2");
  const auto right_gradient = [&lab] { return lab.without_writes().named("x2").grad(); };
  const auto is_wrong = [&, right_gradient] { return !same_gradient(x2.grad(), right_gradient()); };

  lab.setup(CODE(x2 = tensor(values, requires_grad)));
  lab.forward(CODE(y2 = UnsafeSquare::apply(x2)));
  lab.measure("x at forward", [&] { return numbers_of(x2); });
  lab.write(CODE_NO_GRAD(x2.mul_(factor)));
  lab.measure("x at backward", [&] { return numbers_of(x2); });
  lab.backward(CODE(y2.sum().backward()));
  lab.observe("x2.grad", "backward succeeded silently, x2.grad: ", [&] { return x2.grad(); });
  lab.measure("obtained gradient", [&] { return numbers_of(x2.grad()); });
  lab.measure("right gradient", [right_gradient] { return numbers_of(right_gradient()); });
  lab.measure("is wrong", is_wrong);
  lab.observe("comparison", "", [&, is_wrong] { return comparison(lab, is_wrong()); });

  lab.claim("backward raises nothing", [&] { return !lab.error().has_value(); });
  lab.claim("the gradient differs from the one without the write", is_wrong);
}

}  // namespace save_unsafe

constinit const Scenario kSaveUnsafe = {
    .name = "save-unsafe",
    .section = "15.3.2",
    .mistake = Mistake::kSilent,
    .shows = "x kept as a plain attribute of ctx: the same write gives a wrong gradient and no error",
    .question = "forward keeps x as ctx.x, then x is multiplied in place. What does backward do, and what is x.grad?",
    .parameters = save_unsafe::kParameters,
    .functions = save_unsafe::kFunctions,
    .list_steps = save_unsafe::list_steps,
};

}  // namespace gradlab
