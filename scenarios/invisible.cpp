// Section 15.1: a raw kernel launch leaves nothing behind that backward could follow.
#include "kernels/gelu.h"
#include "scenarios/catalogue.h"
#include "src/autograd/observer.h"
#include "src/lab/lab.h"

namespace gradlab {
namespace invisible {

constexpr ParameterSpec kParameters[] = {input_parameter("-1,0.5,2"), kCountParameter};

// `code` is a bare launch from `x` to `y`: whoever observes is told of it.
Code launching(std::string_view kernel, const Tensor& x, const Tensor& y, Code code) {
  code.run = [kernel, &x, &y, launch = code.run] {
    launch();
    report_launch(kernel, x.device(), x.numel(), {x.data_ptr(), y.data_ptr()});
  };
  return code;
}

void list_steps(Lab& lab) {
  const std::vector<double>& values = lab.values("x");
  const TensorOptions& requires_grad = lab.requires_grad();
  Tensor& x = lab.named("x");
  Tensor& y = lab.named("y");

  lab.setup(CODE(x = tensor(values, requires_grad)));
  lab.setup(CODE(y = empty_like(x)));
  lab.forward(launching("gelu_forward", x, y,
                        CODE(gelu_forward(x.device(), x.data_ptr<float>(), y.data_ptr<float>(), x.numel()))));
  lab.observe("x.requires_grad", "x.requires_grad: ", [&] { return x.requires_grad(); });
  lab.observe("y.requires_grad", "y.requires_grad: ", [&] { return y.requires_grad(); });
  lab.observe("y.grad_fn", "y.grad_fn: ", [&] { return y.grad_fn(); });
  lab.backward(CODE(y.sum().backward()));
  lab.observe("error", "y.sum().backward() -> ", [&] { return lab.error(); });

  lab.claim("the kernel's result has no grad_fn although x requires grad",
            [&] { return x.requires_grad() && !y.requires_grad() && !y.grad_fn(); });
  lab.claim("backward raises an error", [&] { return lab.error().has_value(); });
}

}  // namespace invisible

constinit const Scenario kInvisible = {
    .name = "invisible",
    .section = "15.1.1",
    .mistake = Mistake::kLoud,
    .shows = "a raw kernel launch records nothing, so backward finds no way to x",
    .question =
        "x requires grad, and a kernel computes y from x's memory. What is y.grad_fn, and what does "
        "backward from y do?",
    .parameters = invisible::kParameters,
    .list_steps = invisible::list_steps,
};

}  // namespace gradlab
