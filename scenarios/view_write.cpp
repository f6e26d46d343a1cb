// A view shares its base's version counter: writing one element through a view is caught too.
#include "scenarios/catalogue.h"
#include "scenarios/functions.h"
#include "src/lab/lab.h"

namespace gradlab {
namespace view_write {

constexpr Source kFunctions[] = {kSafeSquareSource};
constexpr ParameterSpec kParameters[] = {input_parameter("3,4"),
                                         {"value", ParameterKind::kNumber, "30", "what x[0] becomes after forward"},
                                         kCountParameter};

void list_steps(Lab& lab) {
  const std::vector<double>& values = lab.values("x");
  const double& value = lab.number("value");
  const TensorOptions& requires_grad = lab.requires_grad();
  Tensor& x = lab.named("x");
  Tensor& y = lab.named("y");

  lab.setup(CODE(x = tensor(values, requires_grad)));
  lab.forward(CODE(y = SafeSquare::apply(x)));
  lab.write(CODE_NO_GRAD(x[0] = value));
  lab.observe("x._version", "x._version: ", [&] { return std::to_string(x.version()); });
  lab.backward(CODE(y.sum().backward()));
  lab.observe("error", "", [&] { return lab.error(); });

  lab.claim("writing one element through a view moves x's version", [&] { return x.version() == 1; });
  lab.claim("backward refuses the tensor that was written", [&] { return lab.error().has_value(); });
  lab.claim("x.grad stays empty", [&] { return !x.grad().defined(); });
}

}  // namespace view_write

constinit const Scenario kViewWrite = {
    .name = "view-write",
    .section = "15.3",
    .mistake = Mistake::kLoud,
    .shows = "writing one element through a view moves the version of the whole: backward refuses",
    .question =
        "forward keeps x by save_for_backward, then one element is written: x[0] = 30. Is x as a whole still trusted?",
    .parameters = view_write::kParameters,
    .functions = view_write::kFunctions,
    .list_steps = view_write::list_steps,
};

}  // namespace gradlab
