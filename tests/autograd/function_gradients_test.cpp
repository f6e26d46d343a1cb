// Sections 3.8, 3.9 and 3.14 of PyTorch's semantics: what a custom backward receives, and what it may return.
#include "src/autograd/custom_node.h"
#include "tests/autograd/expect.h"

using namespace gradlab;
using namespace gradlab::test;

namespace {

// forward(x, number): x * 1; backward returns what the test says.
struct G : Function<G> {
  static inline TensorList returned;
  static Tensor forward(Context&, const Tensor& x) { return x * 1; }
  static TensorList backward(Context&, const TensorList&) { return returned; }
};

struct GWithNumber : Function<GWithNumber> {
  static inline TensorList returned;
  static Tensor forward(Context&, const Tensor& x, double) { return x * 1; }
  static TensorList backward(Context&, const TensorList&) { return returned; }
};

struct GOfTwo : Function<GOfTwo> {
  static inline TensorList returned;
  static Tensor forward(Context&, const Tensor& x, double, const Tensor&) { return x * 1; }
  static TensorList backward(Context&, const TensorList&) { return returned; }
};

struct Looks : Function<Looks> {
  static inline Shape strides;
  static inline bool contiguous;
  static Tensor forward(Context&, const Tensor& x) { return x * 1; }
  static Tensor backward(Context&, const Tensor& g) {
    strides = g.strides();
    contiguous = g.is_contiguous();
    return g;
  }
};

struct WritesItsGradient : Function<WritesItsGradient> {
  static Tensor forward(Context&, const Tensor& x) { return x * 1; }
  static Tensor backward(Context&, const Tensor& g) {
    g.mul_(10);
    return g;
  }
};

std::string backward_error(const Tensor& x, const Tensor& returned) {
  G::returned = {returned};
  const Tensor y = G::apply(x).sum();
  const std::string error = error_of([&] { y.backward(); });
  G::returned.clear();
  return error;
}

std::string shape_error(const std::string& got, const std::string& expected) {
  return "RuntimeError: Function GBackward returned an invalid gradient at index 0 - got " + got +
         " but expected shape compatible with " + expected;
}

}  // namespace

TEST_CASE("backward returns one gradient for each argument, extra ones only if undefined") {
  const Tensor x = leaf_ones({3});
  const Tensor g = ones({3});
  const auto run = [&](TensorList returned) {
    G::returned = std::move(returned);
    const std::string error = error_of([&] { G::apply(x).sum().backward(); });
    G::returned.clear();
    return error;
  };
  const std::string start = "RuntimeError: function GBackward returned an incorrect number of gradients ";
  CHECK(run({g, g}) == start + "(expected 1, got 2)");
  CHECK(run({}) == start + "(expected 1, got 0)");
  CHECK(run({g, {}, g}) == start + "(expected 1, got 3)");
  CHECK(run({g, {}, {}}) == "no error");
  CHECK(x.grad().to_string() == "tensor([1., 1., 1.])");
}

TEST_CASE("a number gets no gradient") {
  const Tensor x = leaf_ones({3});
  const Tensor g = ones({3});
  GWithNumber::returned = {g, g};
  CHECK(error_of([&] { GWithNumber::apply(x, 3.0).sum().backward(); }) ==
        "RuntimeError: function GWithNumberBackward returned a gradient different than None at position 2, but the corresponding "
        "forward input was not a Variable");
  GWithNumber::returned = {g};
  CHECK(error_of([&] { GWithNumber::apply(x, 3.0).sum().backward(); }) ==
        "RuntimeError: function GWithNumberBackward returned an incorrect number of gradients (expected 2, got 1)");
  GWithNumber::returned = {};
}

TEST_CASE("the index of an invalid gradient counts tensor arguments from 0, the position all arguments from 1") {
  const Tensor x = leaf_ones({3});
  const Tensor w = leaf_ones({3});
  GOfTwo::returned = {ones({3}), {}, ones({2})};
  CHECK(error_of([&] { GOfTwo::apply(x, 1.0, w).sum().backward(); }) ==
        "RuntimeError: Function GOfTwoBackward returned an invalid gradient at index 1 - got [2] but expected shape compatible with "
        "[3]");
  GOfTwo::returned = {};
}

TEST_CASE("the gradient of a tensor that does not require grad is dropped, whatever it is") {
  const Tensor x = leaf_ones({3});
  GOfTwo::returned = {ones({3}), {}, ones({7}, {.dtype = DType::kInt64})};
  CHECK(error_of([&] { GOfTwo::apply(x, 1.0, ones({3})).sum().backward(); }) == "no error");
  GOfTwo::returned = {};
}

TEST_CASE("an undefined gradient stops there without an error") {
  const Tensor x = leaf_ones({3});
  CHECK(backward_error(x, {}) == "no error");
  CHECK_FALSE(x.grad().defined());
}

TEST_CASE("a gradient that the input's shape expands to is summed silently") {
  const Tensor x = leaf_ones({3});
  CHECK(backward_error(x, ones({2, 3})) == "no error");
  CHECK(x.grad().to_string() == "tensor([2., 2., 2.])");
  CHECK(backward_error(x, ones({3, 3})) == "no error");
  CHECK(x.grad().to_string() == "tensor([5., 5., 5.])");
  const Tensor one = leaf_ones({1});
  CHECK(backward_error(one, ones({4})) == "no error");
  CHECK(backward_error(one, ones({2, 2})) == "no error");
  CHECK(one.grad().to_string() == "tensor([8.])");
  const Tensor scalar = leaf_scalar(1);
  CHECK(backward_error(scalar, ones({2, 5})) == "no error");
  CHECK(scalar.grad().to_string() == "tensor(10.)");
}

TEST_CASE("a gradient of any other shape is an error") {
  const Tensor x = leaf_ones({3});
  CHECK(backward_error(x, ones({2})) == shape_error("[2]", "[3]"));
  CHECK(backward_error(x, ones({1})) == shape_error("[1]", "[3]"));
  CHECK(backward_error(x, ones({})) == shape_error("[]", "[3]"));
  CHECK(backward_error(x, ones({3, 1})) == shape_error("[3, 1]", "[3]"));
  CHECK(backward_error(leaf_ones({1}), ones({})) == shape_error("[]", "[1]"));
}

TEST_CASE("a gradient of another dtype is cast silently") {
  const Tensor x = leaf_ones({3});
  CHECK(backward_error(x, ones({3}, {.dtype = DType::kFloat64})) == "no error");
  CHECK(x.grad().dtype() == DType::kFloat32);
  CHECK(backward_error(x, ones({3}, {.dtype = DType::kInt64})) == "no error");
  CHECK(backward_error(x, ones({3}, {.dtype = DType::kBool})) == "no error");
  CHECK(x.grad().to_string() == "tensor([3., 3., 3.])");
}

TEST_CASE("the gradient from sum() is expanded: one element, stride 0") {
  const Tensor x = leaf_ones({3});
  const auto seen = [&](auto finish) {
    finish(Looks::apply(x)).backward();
    return std::pair(Looks::strides, Looks::contiguous);
  };
  CHECK(seen([](const Tensor& y) { return y.sum(); }) == std::pair(Shape{0}, false));
  CHECK(seen([](const Tensor& y) { return (y + 1).sum(); }) == std::pair(Shape{0}, false));
  CHECK(seen([](const Tensor& y) { return (1 + y.view({3}).clone()).sum(); }) == std::pair(Shape{0}, false));
  CHECK(seen([](const Tensor& y) { return y.mean(); }) == std::pair(Shape{1}, true));
  CHECK(seen([](const Tensor& y) { return (y * 2).sum(); }) == std::pair(Shape{1}, true));
  CHECK(seen([](const Tensor& y) { return (y / 2).sum(); }) == std::pair(Shape{1}, true));
  CHECK(seen([](const Tensor& y) { return (-y).sum(); }) == std::pair(Shape{1}, true));
}

TEST_CASE("a backward that writes its gradient changes the caller's tensor") {
  const Tensor x = leaf_ones({2});
  const Tensor seed = ones({2});
  WritesItsGradient::apply(x).backward(seed);
  CHECK(seed.to_string() == "tensor([10., 10.])");
  CHECK(x.grad().to_string() == "tensor([10., 10.])");
}

TEST_CASE("writing an expanded gradient is an error") {
  const Tensor y = WritesItsGradient::apply(leaf_ones({2})).sum();
  CHECK(error_of([&] { y.backward(); }) ==
        "RuntimeError: unsupported operation: more than one element of the written-to tensor refers to a single memory location. "
        "Please clone() the tensor before performing the operation.");
}

TEST_CASE("zeros made for a missing gradient were written once") {
  static std::vector<std::uint32_t> versions;
  struct TwoOutputs : Function<TwoOutputs> {
    static TensorList forward(Context&, const Tensor& x) { return {x * 2, x * 3}; }
    static TensorList backward(Context&, const TensorList& g) {
      versions = {g[0].version(), g[1].version()};
      return {g[0]};
    }
  };
  TwoOutputs::apply(leaf({1, 2}))[0].sum().backward();
  CHECK(versions == std::vector<std::uint32_t>{0, 1});
}
