// .data shares the memory but not the version counter, so a write through it is never noticed.
#include "scenarios/catalogue.h"
#include "src/lab/lab.h"

namespace gradlab {
namespace data_write {

constexpr ParameterSpec kParameters[] = {input_parameter("1,2,3"), kCountParameter};

void list_steps(Lab& lab) {
  const std::vector<double>& values = lab.values("x");
  const TensorOptions& requires_grad = lab.requires_grad();
  Tensor& a = lab.named("a");
  Tensor& y = lab.named("y");
  Tensor& b = lab.named("b");

  lab.setup(CODE(a = tensor(values, requires_grad)));
  lab.forward(CODE(y = a.sigmoid()));
  // Wrong on purpose: sigmoid saved its result y, and .data writes where no version counts.
  lab.write(CODE(y.data().zero_()));
  lab.observe("y._version", "y._version: ", [&] { return std::to_string(y.version()); });
  lab.backward(CODE(y.sum().backward()));
  lab.measure("raised", [&] { return lab.error().has_value(); });
  lab.observe("a.grad", "backward succeeded silently, a.grad: ", [&] { return a.grad(); });
  lab.setup(CODE(b = tensor(values, requires_grad)));
  lab.backward(CODE(b.sigmoid().sum().backward()));
  lab.observe("b.grad", "without the write, grad: ", [&] { return b.grad(); });

  lab.claim("the write through .data leaves y's version at 0", [&] { return y.version() == 0; });
  lab.claim("backward raises nothing", [&] { return !std::get<bool>(lab.observed("raised")); });
  lab.claim("the gradient differs from the one without the write",
            [&] { return !same_gradient(a.grad(), lab.without_writes().named("a").grad()); });
}

}  // namespace data_write

constinit const Scenario kDataWrite = {
    .name = "data-write",
    .section = "15.3",
    .mistake = Mistake::kSilent,
    .shows = "a write through .data moves no version: the gradient is wrong and nothing says so",
    .question =
        "sigmoid keeps its result y, then y.data is set to zero in place. Does backward notice, and what is a.grad?",
    .parameters = data_write::kParameters,
    .list_steps = data_write::list_steps,
};

}  // namespace gradlab
