// Section 10 of PyTorch's semantics: the traps. The silent ones must stay silent, wrong numbers included.
#include "tests/autograd/expect.h"

using namespace gradlab;
using namespace gradlab::test;

namespace {

struct UnsafeSquare : Function<UnsafeSquare> {
  static Tensor forward(Context& ctx, const Tensor& x) {
    ctx.saved_data["x"] = x;
    return x * x;
  }
  static Tensor backward(Context& ctx, const Tensor& g) { return g * 2 * ctx.saved_data["x"].to_tensor(); }
};

struct SwapsGradients : Function<SwapsGradients> {
  static Tensor forward(Context& ctx, const Tensor& a, const Tensor& b) {
    ctx.save_for_backward(a, b);
    return a * b;
  }
  static TensorList backward(Context& ctx, const TensorList& g) {
    const TensorList saved = ctx.saved_tensors();
    return {g[0] * saved[0], g[0] * saved[1]};  // the right order is b, a
  }
};

struct WritesRaw : Function<WritesRaw> {
  static Tensor forward(Context& ctx, const Tensor& x, bool tell) {
    x.data_ptr<float>()[0] = 10;
    if (tell) ctx.mark_dirty(x);
    return x;
  }
  static TensorList backward(Context&, const TensorList& g) { return {g[0], {}}; }
};

struct EditsGradient : Function<EditsGradient> {
  static Tensor forward(Context&, const Tensor& x) { return x * 1; }
  static Tensor backward(Context&, const Tensor& g) {
    g.mul_(10);
    return g;
  }
};

}  // namespace

TEST_CASE("ctx.x = x: backward uses the mutated value, silently, and as often as one likes") {
  const Tensor x = leaf({3});
  const Tensor y = UnsafeSquare::apply(x);
  {
    const NoGradGuard no_grad;
    x.mul_(10);
  }
  y.sum().backward();
  CHECK(x.grad().to_string() == "tensor([60.])");
  y.sum().backward();
  CHECK(x.grad().to_string() == "tensor([120.])");
}

TEST_CASE("a write through data goes unnoticed") {
  const Tensor x = leaf({3});
  const Tensor y = Sq::apply(x);
  x.data().mul_(10);
  y.sum().backward();
  CHECK(x.grad().to_string() == "tensor([60.])");
  CHECK(x.version() == 0);
}

TEST_CASE("a raw write inside forward goes unnoticed without mark_dirty, and is found with it") {
  for (const bool tell : {false, true}) {
    const Tensor x = leaf({3});
    const Tensor h = x * 1;
    const Tensor y = h * h;
    WritesRaw::apply(h, tell);
    const std::string error = error_of([&] { y.backward(); });
    if (tell) {
      CHECK(error == version_error("[1]", ", which is output 0 of WritesRaw,", 1, 0));
    } else {
      CHECK(error == "no error");
      CHECK(x.grad().to_string() == "tensor([20.])");
    }
  }
}

TEST_CASE("gradients returned in the wrong order are swapped silently") {
  const Tensor a = leaf({2});
  const Tensor b = leaf({5});
  SwapsGradients::apply(a, b).backward();
  CHECK(a.grad().item() == 2);
  CHECK(b.grad().item() == 5);
}

TEST_CASE("a backward that edits its gradient changes the other branch that shares it") {
  const Tensor x = leaf({1});
  const Tensor z = leaf({1});
  const Tensor edited = EditsGradient::apply(x);
  (z.view({1}) + edited).backward(ones({1}));
  CHECK(x.grad().item() == 10);
  CHECK(z.grad().item() == 10);  // the true gradient is 1
}

TEST_CASE("an alias of .grad changes with the next backward, and gradients add up until cleared") {
  const Tensor x = leaf({1});
  (x * 2).backward();
  const Tensor kept = x.grad();
  (x * 3).backward();
  CHECK(kept.item() == 5);
  x.set_grad({});
  (x * 3).backward();
  CHECK(kept.item() == 5);
  CHECK(x.grad().item() == 3);
}

TEST_CASE("x = x + 1 under no_grad makes a plain tensor that later losses do not reach") {
  Tensor x = leaf({1});
  {
    const NoGradGuard no_grad;
    x = x + 1;
  }
  CHECK_FALSE(x.requires_grad());
  CHECK(error_of([&] { (x * 2).backward(); }) == kNoGradFn);
}

TEST_CASE("writing what an op saved as its output is an error that names the op") {
  const Tensor x = leaf_ones({2});
  const Tensor y = x.exp();
  y.mul_(2);
  CHECK(error_of([&] { y.sum().backward(); }) == version_error("[2]", ", which is output 0 of Exp,", 1, 0));
  const Tensor h = (x * 1).sigmoid();
  h.relu_();
  CHECK(error_of([&] { h.sum().backward(); }) == version_error("[2]", ", which is output 0 of Sigmoid,", 1, 0));
}

TEST_CASE("writing a disjoint slice is an error although no value changed") {
  const Tensor x = leaf_ones({4});
  const Tensor h = x * 1;
  const Tensor v = h.narrow(0, 0, 2);
  const Tensor y = v * v;
  h.narrow(0, 2, 2).add_(1);
  CHECK(error_of([&] { y.sum().backward(); }) == version_error("[2]", ", which is output 0 of AsStrided,", 1, 0));
}

TEST_CASE("a write that changes nothing is an error too") {
  const Tensor x = leaf_ones({2});
  const Tensor y = (x * x).sum();
  {
    const NoGradGuard no_grad;
    x.mul_(1);
  }
  CHECK(error_of([&] { y.backward(); }) == version_error("[2]", "", 1, 0));
  const Tensor h = x * 2;
  const Tensor z = (h * h).sum();
  h.narrow(0, 0, 0).fill_(0);
  CHECK(error_of([&] { z.backward(); }) == version_error("[2]", ", which is output 0 of torch::autograd::CopySlices,", 1, 0));
}
