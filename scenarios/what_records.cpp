// A trap of section 15.1: requires_grad spreads only through what autograd observes.
#include <fmt/format.h>

#include "scenarios/catalogue.h"
#include "scenarios/functions.h"
#include "src/lab/lab.h"

namespace gradlab {
namespace what_records {

// clang-format off
WITH_SOURCE(kDoubleSource, struct Double : Function<Double> {
  static Tensor forward(Context&, const Tensor& x) { return x * 2; }
  static Tensor backward(Context&, const Tensor& grad_output) { return grad_output * 2; }
};);
// clang-format on

constexpr Source kFunctions[] = {kDoubleSource, kGeluExactSource};
constexpr ParameterSpec kParameters[] = {input_parameter("-1,0.5,2"), kCountParameter};

std::string recorded(const Tensor& y) {
  const Ref<Node> node = y.grad_fn();
  return fmt::format("requires_grad={} grad_fn={}", text_of(y.requires_grad()), node ? node->class_name() : "None");
}

void list_steps(Lab& lab) {
  const std::vector<double>& values = lab.values("x");
  const TensorOptions& requires_grad = lab.requires_grad();
  Tensor& x = lab.named("x");
  Tensor& quiet = lab.named("quiet");
  Tensor& doubled = lab.named("doubled");
  Tensor& custom = lab.named("custom");
  Tensor& raw = lab.named("raw");
  Tensor& detached = lab.named("detached");

  lab.setup(CODE(x = tensor(values, requires_grad)));
  lab.forward(CODE_NO_GRAD(quiet = x * 2));
  lab.forward(CODE(doubled = x * 2));
  lab.forward(CODE(custom = Double::apply(x)));
  lab.forward(CODE(raw = gelu_exact(x)));
  lab.forward(CODE(detached = x.detach() * 2));
  lab.observe("x * 2", "x * 2: ", [&] { return recorded(doubled); });
  lab.observe("Double.apply(x)", "Double.apply(x): ", [&] { return recorded(custom); });
  lab.observe("raw kernel", "raw kernel: ", [&] { return recorded(raw); });
  lab.observe("x.detach() * 2", "x.detach() * 2: ", [&] { return recorded(detached); });
  lab.observe("x * 2 under no_grad", "x * 2 under no_grad: ", [&] { return recorded(quiet); });

  lab.claim("an operation and a Function leave a grad_fn", [&] { return doubled.grad_fn() && custom.grad_fn(); });
  lab.claim("a raw kernel, detach and no_grad leave none",
            [&] { return !raw.grad_fn() && !detached.grad_fn() && !quiet.grad_fn(); });
}

}  // namespace what_records

constinit const Scenario kWhatRecords = {
    .name = "what-records",
    .section = "15.1",
    .mistake = Mistake::kSilent,
    .shows = "five ways to compute from x: two leave a grad_fn, three leave none",
    .question = "x requires grad. Which results computed from it require grad too?",
    .parameters = what_records::kParameters,
    .functions = what_records::kFunctions,
    .list_steps = what_records::list_steps,
};

}  // namespace gradlab
