// Sections 3.11 and 3.13 of PyTorch's semantics: gradients of gradients through custom Functions.
#include "src/autograd/once_differentiable.h"
#include "tests/autograd/expect.h"

using namespace gradlab;
using namespace gradlab::test;

namespace {

struct Cube : Function<Cube> {
  static Tensor forward(Context& ctx, const Tensor& x) {
    ctx.save_for_backward(x);
    return x.pow(3);
  }
  static Tensor backward(Context& ctx, const Tensor& g) { return g * 3 * ctx.saved_tensors()[0].pow(2); }
};

struct ExpOfOutput : Function<ExpOfOutput> {
  static Tensor forward(Context& ctx, const Tensor& x) {
    const Tensor y = x.exp();
    ctx.save_for_backward(y);
    return y;
  }
  static Tensor backward(Context& ctx, const Tensor& g) { return g * ctx.saved_tensors()[0]; }
};

// x^3 through an intermediate x^2 that no graph knows.
struct CubeOfIntermediate : Function<CubeOfIntermediate> {
  static Tensor forward(Context& ctx, const Tensor& x) {
    const Tensor square = x * x;
    ctx.save_for_backward(square);
    return square * x;
  }
  static Tensor backward(Context& ctx, const Tensor& g) { return g * 3 * ctx.saved_tensors()[0]; }
};

struct Once : Function<Once> {
  static constexpr bool once_differentiable = true;
  static inline bool grad_mode;
  static Tensor forward(Context& ctx, const Tensor& x) {
    ctx.save_for_backward(x);
    return x * x;
  }
  static Tensor backward(Context& ctx, const Tensor& g) {
    grad_mode = GradMode::is_enabled();
    return g * 2 * ctx.saved_tensors()[0];
  }
};

constexpr const char* kTwice =
    "RuntimeError: trying to differentiate twice a function that was marked with @once_differentiable";

}  // namespace

TEST_CASE("a backward made of ops on saved tensors can be differentiated") {
  const Tensor x = leaf_scalar(2);
  const Tensor g = grad({Cube::apply(x)}, {x}, {}, {.create_graph = true})[0];
  CHECK(g.to_string() == "tensor(12., grad_fn=<MulBackward0>)");
  const Tensor gg = grad({g}, {x}, {}, {.create_graph = true})[0];
  CHECK(gg.item() == 12);
  CHECK(grad({gg}, {x})[0].item() == 6);
}

TEST_CASE("a saved output carries its history") {
  const Tensor x = leaf_scalar(0);
  const Tensor g = grad({ExpOfOutput::apply(x)}, {x}, {}, {.create_graph = true})[0];
  CHECK(g.requires_grad());
  CHECK(grad({g}, {x})[0].item() == 1);
}

TEST_CASE("a saved intermediate is a constant: the second derivative is an error or incomplete") {
  const Tensor x = leaf_scalar(2);
  const Tensor g = grad({CubeOfIntermediate::apply(x)}, {x}, {}, {.create_graph = true})[0];
  CHECK(g.item() == 12);
  CHECK_FALSE(g.requires_grad());
  CHECK(error_of([&] { g.backward(); }) == kNoGradFn);
  const Tensor y = CubeOfIntermediate::apply(x) * x;  // x^4
  const Tensor first = grad({y}, {x}, {}, {.create_graph = true})[0];
  CHECK(first.item() == 32);
  CHECK(grad({first}, {x})[0].item() == 24);  // the true one is 48
}

TEST_CASE("without create_graph the result has no history") {
  const Tensor x = leaf_scalar(2);
  const Tensor g = grad({Cube::apply(x)}, {x})[0];
  CHECK_FALSE(g.requires_grad());
}

TEST_CASE("once_differentiable runs backward with grad mode off, whatever create_graph says") {
  const Tensor x = leaf_scalar(3);
  const Tensor g = grad({Once::apply(x)}, {x}, {}, {.create_graph = true})[0];
  CHECK_FALSE(Once::grad_mode);
  CHECK(g.item() == 6);
  CHECK_FALSE(g.requires_grad());  // no incoming gradient required grad
}

TEST_CASE("once_differentiable links its results to an Error node when an incoming gradient requires grad") {
  const Tensor x = leaf_scalar(3);
  const Tensor w = leaf_scalar(1);
  const Tensor g = grad({Once::apply(x) * w}, {x}, {}, {.create_graph = true})[0];
  CHECK(g.requires_grad());
  CHECK(g.to_string() == "tensor(6., grad_fn=<Error>)");
  CHECK(name_of(g) == "torch::autograd::Error");
  CHECK(error_of([&] { g.backward(); }) == kTwice);
  CHECK(error_of([&] { grad({g}, {x}); }) ==
        "RuntimeError: The differentiated Tensor at index 0 appears to not have been used in the graph. Set allow_unused=True if "
        "this is the desired behavior.");
}

TEST_CASE("once_differentiable without create_graph changes nothing") {
  const Tensor x = leaf_scalar(3);
  const Tensor w = leaf_scalar(2);
  (Once::apply(x) * w).backward();
  CHECK(x.grad().to_string() == "tensor(12.)");
}

TEST_CASE("a Function made at run time can be once_differentiable") {
  const RuntimeFunction square{"Square",
                               [](Context& ctx, const TensorList& arguments) {
                                 ctx.save_for_backward(arguments[0]);
                                 return TensorList{arguments[0] * arguments[0]};
                               },
                               once_differentiable([](Context& ctx, const TensorList& g) {
                                 return TensorList{g[0] * 2 * ctx.saved_tensors()[0]};
                               })};
  const Tensor x = leaf_scalar(3);
  const Tensor w = leaf_scalar(1);
  const Tensor g = grad({square.apply({x})[0] * w}, {x}, {}, {.create_graph = true})[0];
  CHECK(error_of([&] { g.backward(); }) == kTwice);
}
