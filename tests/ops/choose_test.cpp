// Ops that choose between values: where ties and nan go, forward and backward. Sections 6 and 12 of PyTorch's semantics.
#include <limits>

#include "tests/autograd/expect.h"

using namespace gradlab;
using namespace gradlab::test;

namespace {

// The gradient of f(x).sum() at the values.
template <class F>
std::string gradient_of(F f, const std::vector<double>& values) {
  const Tensor x = leaf(values);
  f(x).sum().backward();
  return x.grad().to_string();
}

const auto maximum_with_two = [](const Tensor& x) { return x.maximum(scalar_tensor(2.0)); };
const auto minimum_with_two = [](const Tensor& x) { return x.minimum(scalar_tensor(2.0)); };

}  // namespace

TEST_CASE("gradients at kinks are PyTorch's") {
  CHECK(gradient_of([](const Tensor& x) { return x.relu(); }, {0, test::kNan}) == "tensor([0., 1.])");
  CHECK(gradient_of([](const Tensor& x) { return x.abs(); }, {0, -2}) == "tensor([ 0., -1.])");
  CHECK(gradient_of([](const Tensor& x) { return x.sqrt(); }, {0, -1}) == "tensor([inf, nan])");
  CHECK(gradient_of([](const Tensor& x) { return x.log(); }, {0, -1}) == "tensor([inf, -1.])");
  CHECK(gradient_of([](const Tensor& x) { return x.pow(0); }, {0, test::kNan}) == "tensor([0., 0.])");
  CHECK(gradient_of([](const Tensor& x) { return x.pow(0.5); }, {0}) == "tensor([inf])");
  CHECK(gradient_of([](const Tensor& x) { return x.sign(); }, {1, 0}) == "tensor([0., 0.])");
}

TEST_CASE("max and min share the gradient among equals") {
  CHECK(gradient_of([](const Tensor& x) { return x.max(); }, {2, 2, 1}) == "tensor([0.5000, 0.5000, 0.0000])");
  CHECK(gradient_of([](const Tensor& x) { return x.min(); }, {2, 1, 1}) == "tensor([0.0000, 0.5000, 0.5000])");
  CHECK(gradient_of([](const Tensor& x) { return x.max(); }, {test::kNan, 1}) == "tensor([1., 0.])");
}

TEST_CASE("maximum and minimum give half to each of two equals, and nan passes its gradient") {
  CHECK(gradient_of(maximum_with_two, {2, 3, test::kNan}) == "tensor([0.5000, 1.0000, 1.0000])");
  CHECK(gradient_of(minimum_with_two, {2, 3, test::kNan}) == "tensor([0.5000, 0.0000, 1.0000])");
}

TEST_CASE("clamp passes the gradient at its bounds, and none of a nan") {
  CHECK(gradient_of([](const Tensor& x) { return x.clamp(0, 2); }, {0, 1, 2, 3, test::kNan}) == "tensor([1., 1., 1., 0., 0.])");
  CHECK(gradient_of([](const Tensor& x) { return x.clamp(3, 2); }, {1, 4, 2.5}) == "tensor([0., 0., 0.])");
}

TEST_CASE("nan wins") {
  CHECK(tensor({1, test::kNan}).max().to_string() == "tensor(nan)");
  CHECK(tensor({test::kNan, 1}).min().to_string() == "tensor(nan)");
  CHECK(tensor({1, test::kNan}).maximum(tensor({2, 2})).to_string() == "tensor([2., nan])");
  CHECK(tensor({1, test::kNan, 5}).clamp(2, 3).to_string() == "tensor([2., nan, 3.])");
  CHECK(tensor({test::kNan}).relu().to_string() == "tensor([nan])");
  CHECK(tensor({test::kNan}).sign().to_string() == "tensor([0.])");
}

TEST_CASE("clamp with crossed bounds gives the upper one, and with numbers of another kind another dtype") {
  CHECK(tensor({1}).clamp(3, 2).to_string() == "tensor([2.])");
  const Tensor longs = tensor({1, 2}, TensorOptions{.dtype = DType::kInt64});
  CHECK(longs.clamp(0, 1).to_string() == "tensor([1, 1])");
  CHECK(longs.clamp(0.5, 1.5).to_string() == "tensor([1.0000, 1.5000])");
  CHECK(longs.clamp(0, 1.5).to_string() == "tensor([1.0000, 1.5000])");
  CHECK(tensor({1, 0}, TensorOptions{.dtype = DType::kBool}).clamp(0, 1).to_string() == "tensor([1, 0])");
}

TEST_CASE("comparisons give bool, broadcast and know nan") {
  CHECK(tensor({1, test::kNan}).eq(tensor({1, test::kNan})).to_string() == "tensor([ True, False])");
  CHECK(tensor({1, test::kNan}).ne(tensor({1, test::kNan})).to_string() == "tensor([False,  True])");
  CHECK(tensor({1, 2}).lt(scalar_tensor(2)).to_string() == "tensor([ True, False])");
  CHECK(tensor({1, 2}).le(scalar_tensor(2)).to_string() == "tensor([True, True])");
  CHECK(tensor({1, 2}).gt(scalar_tensor(1)).to_string() == "tensor([False,  True])");
  CHECK(tensor({1, 2}).ge(scalar_tensor(2)).to_string() == "tensor([False,  True])");
  CHECK(tensor({1, 2}, TensorOptions{.dtype = DType::kInt64}).lt(scalar_tensor(1.5)).to_string() == "tensor([ True, False])");
  CHECK(tensor({1, 2}, {2, 1}).eq(tensor({1, 2})).to_string() == "tensor([[ True, False],\n        [False,  True]])");
  CHECK(tensor({16777217}, TensorOptions{.dtype = DType::kInt64}).eq(tensor({16777216})).to_string() == "tensor([True])");
}

TEST_CASE("where takes from both, and broadcasts all three") {
  const Tensor condition = tensor({1, 0}, TensorOptions{.dtype = DType::kBool});
  const Tensor a = leaf({1, 2});
  const Tensor b = leaf_scalar(5);
  const Tensor y = where(condition, a, b);
  CHECK(y.to_string() == "tensor([1., 5.], grad_fn=<WhereBackward0>)");
  y.sum().backward();
  CHECK(a.grad().to_string() == "tensor([1., 0.])");
  CHECK(b.grad().to_string() == "tensor(1.)");
  CHECK(where(condition.unsqueeze(1), tensor({1, 2}), tensor({3, 4})).to_string() == "tensor([[1., 2.],\n        [3., 4.]])");
}

TEST_CASE("the condition of where is version-checked") {
  const Tensor condition = tensor({1, 0}, TensorOptions{.dtype = DType::kBool});
  const Tensor y = where(condition, leaf({1, 2}), zeros({2})).sum();
  condition.fill_(false);
  CHECK(error_of([&] { y.backward(); }).starts_with(
      "RuntimeError: one of the variables needed for gradient computation has been modified by an inplace operation: [CPUBoolType [2]] "
      "is at version 1; expected version 0 instead."));
}

TEST_CASE("equal compares shapes and values, allclose within a tolerance of the second") {
  CHECK(equal(ones({2}), ones({2}, doubles(false))));
  CHECK_FALSE(equal(ones({2}), ones({1, 2})));
  CHECK_FALSE(equal(tensor({test::kNan}), tensor({test::kNan})));
  CHECK(allclose(tensor({1.0}), tensor({1.000001})));
  CHECK_FALSE(allclose(tensor({1.0}), tensor({1.001})));
  CHECK(allclose(tensor({1.0}), tensor({1.001}), 1e-2));
  CHECK_FALSE(allclose(tensor({test::kNan}), tensor({test::kNan})));
  CHECK(allclose(tensor({test::kNan}), tensor({test::kNan}), 1e-5, 1e-8, true));
  constexpr double kInf = std::numeric_limits<double>::infinity();
  CHECK(allclose(tensor({kInf}), tensor({kInf})));
  CHECK_FALSE(allclose(tensor({1}), tensor({kInf})));
  CHECK_FALSE(allclose(tensor({1, 2}), tensor({1})));
  CHECK(error_of([] { allclose(ones({2}), ones({2}, doubles(false))); }) == "RuntimeError: Float did not match Double");
}
