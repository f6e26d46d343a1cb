// GELU's backward twice: as tensor arithmetic, an op at a time, and as one fused kernel.
#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <map>

#include "scenarios/catalogue.h"
#include "scenarios/functions.h"
#include "src/autograd/grad_mode.h"
#include "src/autograd/observer.h"
#include "src/lab/lab.h"

namespace gradlab {
namespace backward_kernel {

constexpr Source kFunctions[] = {kTritonGELUSource, kernel::kTritonGELUSource, kGeluExactGradientSource,
                                 kGeluKernelGradientSource};
constexpr ParameterSpec kParameters[] = {input_parameter("-1,0.5,2"), kCountParameter};

// The memory that a tensor's elements take: one value expanded over a shape takes one element's.
std::int64_t size_bytes_of(const Tensor& tensor) {
  auto bytes = static_cast<std::int64_t>(size_bytes(tensor.dtype()));
  for (std::size_t d = 0; d < tensor.shape().size(); ++d) bytes *= tensor.strides()[d] == 0 ? 1 : tensor.shape()[d];
  return bytes;
}

// NOTE [Counting launches]
// Counts the launches of a gradient function, and the bytes that they read and write, from what really runs. An op is
// one launch that reads each of its operands once and writes its result. A raw launch reads or writes what its pointers
// point at.
class Traffic : public Observer {
 public:
  void takes(std::initializer_list<const Tensor*> inputs) override {
    operand_bytes_ = 0;
    for (const Tensor* input : inputs) operand_bytes_ += remember(*input);
  }

  void created(const Tensor& result, Origin origin, std::string_view, const Node*, const Tensor&) override {
    const std::int64_t result_bytes = remember(result);
    if (origin != Origin::kOp) return;
    ++launches_;
    bytes_ += operand_bytes_ + result_bytes;
  }

  void launched(std::string_view, Device, std::int64_t, std::initializer_list<const void*> pointers) override {
    ++launches_;
    for (const void* pointer : pointers) bytes_ += known_.at(pointer);
  }

  // For the pointers of a launch.
  std::int64_t remember(const Tensor& tensor) { return known_[tensor.data_ptr()] = size_bytes_of(tensor); }

  std::int64_t launches() const { return launches_; }
  std::int64_t bytes() const { return bytes_; }

 private:
  std::map<const void*, std::int64_t> known_;  // the memory behind a pointer
  std::int64_t operand_bytes_ = 0;             // of the op about to be reported
  std::int64_t launches_ = 0;
  std::int64_t bytes_ = 0;
};

using GradientFunction = Tensor (*)(const Tensor& x, const Tensor& grad_output);

// With the gradient that y.sum() hands over, one value expanded, and in the mode in which backward runs.
Traffic traffic_of(GradientFunction gradient, const Tensor& x) {
  const NoGradGuard no_grad;
  const Tensor grad_output = ones({}, x.options()).expand(x.shape());
  Traffic traffic;
  traffic.remember(x);
  traffic.remember(grad_output);
  const ObserverGuard guard(&traffic);
  gradient(x, grad_output);
  return traffic;
}

// Launches, then bytes; of each the arithmetic's and the kernel's.
Numbers counts(const Traffic& arithmetic, const Traffic& kernel) {
  const std::int64_t all[] = {arithmetic.launches(), kernel.launches(), arithmetic.bytes(), kernel.bytes()};
  return {{std::begin(all), std::end(all)}, std::ssize(all)};
}

// In units of the last place of 1: the derivative is a sum whose terms reach 1, and a rounding is up to half of that
// unit however small the sum is. nan equals nan.
double largest_difference_in_ulp(const Tensor& a, const Tensor& b) {
  const std::vector<double> left = a.to_vector();
  const std::vector<double> right = b.to_vector();
  double largest = 0;
  for (std::size_t i = 0; i < left.size(); ++i) {
    if (left[i] == right[i] || (std::isnan(left[i]) && std::isnan(right[i]))) continue;
    const double difference = std::abs(left[i] - right[i]) / std::numeric_limits<float>::epsilon();
    if (!(difference <= largest)) largest = difference;
  }
  return largest;
}

void list_steps(Lab& lab) {
  const std::vector<double>& values = lab.values("x");
  const TensorOptions& requires_grad = lab.requires_grad();
  Tensor& x = lab.named("x");
  Tensor& y = lab.named("y");
  Tensor& x2 = lab.named("x2");
  Tensor& y2 = lab.named("y2");
  const auto counted = [&lab](std::size_t i) { return std::get<Numbers>(lab.observed("counted")).values[i]; };
  const auto difference = [&] { return largest_difference_in_ulp(x.grad(), x2.grad()); };
  const auto are_equal_to_rounding = [difference] { return difference() <= 4; };

  lab.setup(CODE(x = tensor(values, requires_grad)));
  lab.forward(CODE(y = TritonGELU::apply(x)));
  lab.backward(CODE(y.sum().backward()));
  lab.observe("x.grad", "arithmetic: x.grad ", [&] { return x.grad(); });
  lab.setup(CODE(x2 = tensor(values, requires_grad)));
  lab.forward(CODE(y2 = kernel::TritonGELU::apply(x2)));
  lab.backward(CODE(y2.sum().backward()));
  lab.observe("x2.grad", "kernel: x2.grad ", [&] { return x2.grad(); });
  lab.observe("equal to rounding", "equal to rounding? ", are_equal_to_rounding);
  lab.observe("difference", "largest difference: ", [=] { return fmt::format("{:.3g} ulp of 1.0", difference()); });
  lab.measure("counted",
              [&] { return counts(traffic_of(gelu_exact_gradient, x), traffic_of(gelu_kernel_gradient, x2)); });
  lab.observe("launches",
              "launches: ", [=] { return fmt::format("arithmetic {}, kernel {}", counted(0), counted(1)); });
  lab.observe("bytes",
              "bytes moved: ", [=] { return fmt::format("arithmetic {}, kernel {}", counted(2), counted(3)); });

  lab.claim("the two gradients are equal to rounding (4 ulp of 1)", are_equal_to_rounding);
  lab.claim("the kernel is one launch where the arithmetic is several",
            [=] { return counted(0) > 1 && counted(1) == 1; });
  lab.claim("the kernel moves fewer bytes", [=] { return counted(2) > counted(3); });
}

}  // namespace backward_kernel

constinit const Scenario kBackwardKernel = {
    .name = "backward-kernel",
    .section = "15.2",
    .mistake = Mistake::kNone,
    .shows = "GELU's backward op by op and as one kernel: the same gradient, far fewer launches and bytes",
    .question =
        "backward computes GELU's gradient in tensor arithmetic, then as one kernel. What differs: the gradient, the "
        "launches, the memory traffic?",
    .parameters = backward_kernel::kParameters,
    .functions = backward_kernel::kFunctions,
    .list_steps = backward_kernel::list_steps,
};

}  // namespace gradlab
