// .detach() shares the memory and the version counter, so the write that .data hides is caught.
#include "scenarios/catalogue.h"
#include "src/lab/lab.h"

namespace gradlab {
namespace detach_write {

constexpr ParameterSpec kParameters[] = {input_parameter("1,2,3"), kCountParameter};

void list_steps(Lab& lab) {
  const std::vector<double>& values = lab.values("x");
  const TensorOptions& requires_grad = lab.requires_grad();
  Tensor& a = lab.named("a");
  Tensor& y = lab.named("y");

  lab.setup(CODE(a = tensor(values, requires_grad)));
  lab.forward(CODE(y = a.sigmoid()));
  lab.write(CODE(y.detach().zero_()));
  lab.observe("y._version", "y._version: ", [&] { return std::to_string(y.version()); });
  lab.backward(CODE(y.sum().backward()));
  lab.observe("error", "", [&] { return lab.error(); });

  lab.claim("the write through .detach() moves y's version", [&] { return y.version() == 1; });
  lab.claim("backward refuses the tensor that was written", [&] { return lab.error().has_value(); });
  lab.claim("a.grad stays empty", [&] { return !a.grad().defined(); });
}

}  // namespace detach_write

constinit const Scenario kDetachWrite = {
    .name = "detach-write",
    .section = "15.3",
    .mistake = Mistake::kLoud,
    .shows = "the same write through .detach() moves y's version: backward refuses",
    .question = "sigmoid keeps its result y, then y.detach() is set to zero in place. What does backward do?",
    .parameters = detach_write::kParameters,
    .list_steps = detach_write::list_steps,
};

}  // namespace gradlab
