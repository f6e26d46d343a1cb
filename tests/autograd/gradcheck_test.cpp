// Section 9 of PyTorch's semantics: gradcheck, its steps and its failures.
#include "src/autograd/gradcheck.h"

#include "tests/autograd/expect.h"

using namespace gradlab;
using namespace gradlab::test;

namespace {

struct Bad : Function<Bad> {
  static Tensor forward(Context& ctx, const Tensor& x) {
    ctx.save_for_backward(x);
    return x * x;
  }
  static Tensor backward(Context& ctx, const Tensor& g) { return g * 3 * ctx.saved_tensors()[0]; }
};

struct GivesNoGradient : Function<GivesNoGradient> {
  static Tensor forward(Context&, const Tensor& x) { return x * 2; }
  static Tensor backward(Context&, const Tensor&) { return {}; }
};

struct Drifts : Function<Drifts> {
  static inline int runs = 0;
  static Tensor forward(Context&, const Tensor& x) { return x * 2; }
  static Tensor backward(Context&, const Tensor& g) { return g * (2 + ++runs); }
};

struct AddsABit : Function<AddsABit> {
  static Tensor forward(Context&, const Tensor& x) { return x + 0; }
  static Tensor backward(Context&, const Tensor& g) { return g + 1e-7; }
};

struct InventsGradients : Function<InventsGradients> {
  static Tensor forward(Context& ctx, const Tensor& x) {
    ctx.set_materialize_grads(false);
    return x * 2;
  }
  static Tensor backward(Context&, const Tensor& g) { return g.defined() ? g * 2 : ones({2}, doubles(false)); }
};

struct RefusesUndefined : Function<RefusesUndefined> {
  static Tensor forward(Context& ctx, const Tensor& x) {
    ctx.set_materialize_grads(false);
    return x * 2;
  }
  static Tensor backward(Context&, const Tensor& g) {
    if (!g.defined()) throw Error(ErrorType::kRuntimeError, "no gradient came");
    return g * 2;
  }
};

struct WrongSecond : Function<WrongSecond> {  // the first derivative of x^3 is right, the second is lost
  static Tensor forward(Context& ctx, const Tensor& x) {
    ctx.save_for_backward(x);
    return x.pow(3);
  }
  static Tensor backward(Context& ctx, const Tensor& g) { return g * 3 * ctx.saved_tensors()[0].detach().pow(2); }
};

Tensor doubles_leaf(const std::vector<double>& values) { return tensor(values, doubles()); }

template <class F>
CheckedFunction applied() {
  return [](const TensorList& inputs) { return TensorList{F::apply(inputs[0])}; };
}

template <class F>
std::string failure(const GradcheckOptions& options = {}) {
  return error_of([&] { gradcheck(applied<F>(), {doubles_leaf({1, 2})}, options); });
}

}  // namespace

TEST_CASE("gradcheck accepts a right gradient") {
  CHECK(gradcheck(applied<Sq>(), {doubles_leaf({1, 2})}));
  CHECK(gradcheck([](const TensorList& in) { return TensorList{in[0] * in[1], in[0].exp()}; },
                  {doubles_leaf({1, 2}), doubles_leaf({3, 4})}));
}

TEST_CASE("gradcheck prints both Jacobians of a wrong one") {
  CHECK(failure<Bad>() ==
        "GradcheckError: Jacobian mismatch for output 0 with respect to input 0,\n"
        "numerical:tensor([[2.0000, 0.0000],\n"
        "        [0.0000, 4.0000]], dtype=torch.float64)\n"
        "analytical:tensor([[3., 0.],\n"
        "        [0., 6.]], dtype=torch.float64)\n");
}

TEST_CASE("a backward that returns nothing counts as zeros") {
  CHECK(failure<GivesNoGradient>() ==
        "GradcheckError: Jacobian mismatch for output 0 with respect to input 0,\n"
        "numerical:tensor([[2.0000, 0.0000],\n"
        "        [0.0000, 2.0000]], dtype=torch.float64)\n"
        "analytical:tensor([[0., 0.],\n"
        "        [0., 0.]], dtype=torch.float64)\n");
}

TEST_CASE("raise_exception = false turns a GradcheckError into false, nothing else") {
  CHECK_FALSE(gradcheck(applied<Bad>(), {doubles_leaf({1, 2})}, {.raise_exception = false}));
  CHECK(error_of([] { gradcheck(applied<Bad>(), {tensor({1, 2}, doubles(false))}, {.raise_exception = false}); }) ==
        "ValueError: gradcheck expects at least one input tensor to require gradient, but none of them have requires_grad=True.");
}

TEST_CASE("inputs are put back") {
  const Tensor x = doubles_leaf({1, 2});
  gradcheck(applied<Sq>(), {x});
  CHECK(x.to_string() == "tensor([1., 2.], dtype=torch.float64, requires_grad=True)");
  CHECK(x.version() == 0);
  CHECK_FALSE(x.grad().defined());
}

TEST_CASE("a gradient that differs from run to run is not reentrant, which comes before the mismatch") {
  const std::string error = failure<Drifts>();
  CHECK(error.starts_with(
      "GradcheckError: Backward is not reentrant, i.e., running backward with same input and grad_output multiple times gives "
      "different values, although analytical gradient matches numerical gradient.The tolerance for nondeterminism was 0.0.\n\n"
      "NOTE: If your op relies on non-deterministic operations i.e., it is listed here:\n"));
  CHECK(error.ends_with("  module_test entry to have `gradcheck_nondet_tol=<tol>`\n"));
  CHECK(failure<Drifts>({.nondet_tol = 10}).starts_with("GradcheckError: Jacobian mismatch"));
}

TEST_CASE("a gradient of zeros must give zeros") {
  CHECK(failure<AddsABit>() == "GradcheckError: backward not multiplied by grad_output");
}

TEST_CASE("an undefined gradient must give zeros or nothing") {
  std::string error;
  const std::vector<std::string> warnings = warnings_of([&] { error = failure<InventsGradients>(); });
  CHECK(error ==
        "GradcheckError: Expected all input grads to be undefined or zero when all output grads are undefined or zero. Please look "
        "at \"Notes about undefined output gradients\" in \"tools/autograd/derivatives.yaml\"");
  REQUIRE(warnings.size() == 1);
  CHECK(warnings[0] ==
        "UserWarning: Backwards compatibility: New undefined gradient support checking feature is enabled by default, but it may "
        "break existing callers of this function. If this is true for you, you can call this function with "
        "\"check_undefined_grad=False\" to disable the feature");
  CHECK(failure<RefusesUndefined>() ==
        "GradcheckError: Expected backward function to handle undefined output grads. Please look at \"Notes about undefined output "
        "gradients\" in \"tools/autograd/derivatives.yaml\"");
  CHECK(failure<InventsGradients>({.check_undefined_grad = false}) == "no error");
}

TEST_CASE("without a differentiable output the numerical Jacobian must be zero") {
  const auto check = [](auto function) {
    return error_of([&] { gradcheck([&](const TensorList& in) { return TensorList{function(in[0])}; }, {doubles_leaf({1, 2})}); });
  };
  CHECK(check([](const Tensor& x) { return x.detach() * 2; }) ==
        "GradcheckError: Numerical gradient for function expected to be zero");
  CHECK(check([](const Tensor&) { return ones({2}); }) == "no error");
  CHECK(check([](const Tensor& x) { return (x * 2).sign().detach(); }) == "no error");
  CHECK(check([](const Tensor& x) { return x.gt(x); }) == "no error");
}

TEST_CASE("an input whose elements share memory is refused") {
  const Tensor x = ones({1}, doubles(false)).expand({3}).requires_grad_();
  CHECK(error_of([&] { gradcheck([](const TensorList& in) { return TensorList{in[0] * 2}; }, {x}); }) ==
        "RuntimeError: The 0th input has a dimension with stride 0. gradcheck only supports inputs that are non-overlapping to be "
        "able to compute the numerical gradients correctly. You should call .contiguous on the input before passing it to gradcheck.");
}

TEST_CASE("a float32 input warns and fails on rounding") {
  std::string error;
  const std::vector<std::string> warnings = warnings_of(
      [&] { error = error_of([] { gradcheck([](const TensorList& in) { return TensorList{in[0] * in[0]}; }, {leaf({1, 2})}); }); });
  REQUIRE(warnings.size() == 1);
  CHECK(warnings[0] ==
        "UserWarning: Input #0 requires gradient and is not a double precision floating point or complex. This check will likely fail "
        "if all the inputs are not of double precision floating point or complex. ");
  CHECK(error ==
        "GradcheckError: Jacobian mismatch for output 0 with respect to input 0,\n"
        "numerical:tensor([[1.9670, 0.0000],\n"
        "        [0.0000, 3.8147]])\n"
        "analytical:tensor([[2., 0.],\n"
        "        [0., 4.]])\n");
}

TEST_CASE("rows are input elements, columns output elements") {
  const std::string error = error_of([] {
    gradcheck(
        [](const TensorList& in) {
          const Tensor x = in[0];
          return TensorList{x.sum(), (x.detach() * 2 + x).narrow(0, 0, 1)};
        },
        {doubles_leaf({1, 2, 3})});
  });
  CHECK(error ==
        "GradcheckError: Jacobian mismatch for output 1 with respect to input 0,\n"
        "numerical:tensor([[3.0000],\n"
        "        [0.0000],\n"
        "        [0.0000]], dtype=torch.float64)\n"
        "analytical:tensor([[1.],\n"
        "        [0.],\n"
        "        [0.]], dtype=torch.float64)\n");
}

TEST_CASE("gradgradcheck checks the gradient's gradient") {
  const auto cube = [](const TensorList& in) { return TensorList{in[0] * in[0] * in[0]}; };
  CHECK(gradgradcheck(cube, {doubles_leaf({1, 2})}));
  CHECK(gradgradcheck(cube, {doubles_leaf({1, 2})}, {ones({2}, doubles())}));
  CHECK(gradcheck(applied<WrongSecond>(), {doubles_leaf({1, 2})}));
  CHECK(error_of([] { gradgradcheck(applied<WrongSecond>(), {doubles_leaf({1, 2})}); })
            .starts_with("GradcheckError: Jacobian mismatch for output 0 with respect to input 0,\n"));
}
