// Every operation of tensor.h against finite differences in float64: first derivative, and second where PyTorch has one.
// Tolerances are gradcheck's defaults: |a - n| <= 1e-5 + 1e-3 |n|, with a step of 1e-6.
#include "src/autograd/gradcheck.h"

#include <cmath>

#include "tests/autograd/expect.h"

using namespace gradlab;
using namespace gradlab::test;

namespace {

// Values spread over (0.3, 1.7), no two equal and none near 0, 0.5 or 1.
Tensor positive(const Shape& shape, double shift = 0) {
  std::vector<double> values(static_cast<std::size_t>(numel_of(shape)));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = 0.317 + std::fmod(0.2371 * static_cast<double>(i + 1) + shift, 1.37);
  return tensor(values, shape, doubles());
}

// The same with every second sign turned.
Tensor mixed(const Shape& shape, double shift = 0) {
  std::vector<double> values = positive(shape, shift).to_vector();
  for (std::size_t i = 0; i < values.size(); i += 2) values[i] = -values[i];
  return tensor(values, shape, doubles());
}

using OneOperand = Tensor (*)(const Tensor& x);
using TwoOperands = Tensor (*)(const Tensor& a, const Tensor& b);

void check_both(const CheckedFunction& function, const TensorList& inputs) {
  CHECK(error_of([&] { gradcheck(function, inputs); }) == "no error");
  CHECK(error_of([&] { gradgradcheck(function, inputs); }) == "no error");
}

// On a matrix, a transposed one, a slice with gaps, and a scalar.
void check_one(OneOperand op, Tensor (*values)(const Shape&, double) = &mixed) {
  const CheckedFunction function = [op](const TensorList& in) { return TensorList{op(in[0])}; };
  check_both(function, {values({2, 3}, 0)});
  check_both([op](const TensorList& in) { return TensorList{op(in[0].t())}; }, {values({2, 3}, 0.11)});
  check_both([op](const TensorList& in) { return TensorList{op(in[0].narrow(1, 1, 2))}; }, {values({2, 3}, 0.23)});
  check_both(function, {values({}, 0)});
}

// On equal shapes, and on shapes that broadcast either way.
void check_two(TwoOperands op, Tensor (*values)(const Shape&, double) = &mixed) {
  const CheckedFunction function = [op](const TensorList& in) { return TensorList{op(in[0], in[1])}; };
  check_both(function, {values({2, 3}, 0), values({2, 3}, 0.31)});
  check_both(function, {values({2, 3}, 0), values({3}, 0.31)});
  check_both(function, {values({2, 1}, 0), values({1, 3}, 0.31)});
  check_both(function, {values({}, 0), values({2, 2}, 0.31)});
  check_both(function, {values({1}, 0), values({}, 0.31)});
}

}  // namespace

TEST_CASE("add") { check_two([](const Tensor& a, const Tensor& b) { return a + b; }); }
TEST_CASE("sub") { check_two([](const Tensor& a, const Tensor& b) { return a - b; }); }
TEST_CASE("mul") { check_two([](const Tensor& a, const Tensor& b) { return a * b; }); }
TEST_CASE("div") { check_two([](const Tensor& a, const Tensor& b) { return a / b; }); }
TEST_CASE("maximum") { check_two([](const Tensor& a, const Tensor& b) { return a.maximum(b); }); }
TEST_CASE("minimum") { check_two([](const Tensor& a, const Tensor& b) { return a.minimum(b); }); }

TEST_CASE("arithmetic with numbers on either side") {
  check_one([](const Tensor& x) { return x + 2; });
  check_one([](const Tensor& x) { return x - 2; });
  check_one([](const Tensor& x) { return x * 2.5; });
  check_one([](const Tensor& x) { return x / 2.5; });
  check_one([](const Tensor& x) { return 2 + x; });
  check_one([](const Tensor& x) { return 2 - x; });
  check_one([](const Tensor& x) { return 2.5 * x; });
  check_one([](const Tensor& x) { return 2.5 / x; });
  check_one([](const Tensor& x) { return -x; });
}

TEST_CASE("an operand used twice") {
  check_one([](const Tensor& x) { return x * x; });
  check_one([](const Tensor& x) { return x + x * x; });
  check_one([](const Tensor& x) { return x / (x * x + 1); });
}

TEST_CASE("exp") { check_one([](const Tensor& x) { return x.exp(); }); }
TEST_CASE("log") { check_one([](const Tensor& x) { return x.log(); }, &positive); }
TEST_CASE("sqrt") { check_one([](const Tensor& x) { return x.sqrt(); }, &positive); }
TEST_CASE("tanh") { check_one([](const Tensor& x) { return x.tanh(); }); }
TEST_CASE("sigmoid") { check_one([](const Tensor& x) { return x.sigmoid(); }); }
TEST_CASE("relu") { check_one([](const Tensor& x) { return x.relu(); }); }
TEST_CASE("erf") { check_one([](const Tensor& x) { return x.erf(); }); }
TEST_CASE("gelu") { check_one([](const Tensor& x) { return x.gelu(); }); }
TEST_CASE("reciprocal") { check_one([](const Tensor& x) { return x.reciprocal(); }); }
TEST_CASE("abs") { check_one([](const Tensor& x) { return x.abs(); }); }
TEST_CASE("sign") { check_one([](const Tensor& x) { return x.sign() * x; }); }

TEST_CASE("pow") {
  check_one([](const Tensor& x) { return x.pow(2); });
  check_one([](const Tensor& x) { return x.pow(3); });
  check_one([](const Tensor& x) { return x.pow(1); });
  check_one([](const Tensor& x) { return x.pow(0); });
  check_one([](const Tensor& x) { return x.pow(-1); });
  check_one([](const Tensor& x) { return x.pow(0.5); }, &positive);
  check_one([](const Tensor& x) { return x.pow(-1.5); }, &positive);
}

TEST_CASE("clamp") {
  check_one([](const Tensor& x) { return x.clamp(-0.6, 0.9); });
  check_one([](const Tensor& x) { return x.clamp(5, 6); });
}

TEST_CASE("sum, mean, max, min over everything") {
  check_one([](const Tensor& x) { return x.sum(); });
  check_one([](const Tensor& x) { return x.mean(); });
  check_one([](const Tensor& x) { return x.max(); });
  check_one([](const Tensor& x) { return x.min(); });
  check_one([](const Tensor& x) { return (x * x).sum(); });
  check_one([](const Tensor& x) { return (x * x).mean(); });
}

TEST_CASE("sum over dimensions") {
  const auto check = [](const Shape& dims, bool keepdim) {
    check_both([&](const TensorList& in) { return TensorList{(in[0] * in[0]).sum(dims, keepdim)}; }, {mixed({2, 3, 2})});
  };
  for (const bool keepdim : {false, true}) {
    check({0}, keepdim);
    check({1}, keepdim);
    check({-1}, keepdim);
    check({0, 2}, keepdim);
    check({0, 1, 2}, keepdim);
  }
}

TEST_CASE("matmul of vectors and matrices") {
  const auto check = [](const Shape& a, const Shape& b) {
    check_both([](const TensorList& in) { return TensorList{in[0].matmul(in[1])}; }, {mixed(a), mixed(b, 0.31)});
  };
  check({3}, {3});
  check({2, 3}, {3});
  check({3}, {3, 2});
  check({2, 3}, {3, 4});
  check_both([](const TensorList& in) { return TensorList{in[0].t().matmul(in[1].t())}; }, {mixed({3, 2}), mixed({4, 3}, 0.31)});
  check_both([](const TensorList& in) { return TensorList{in[0].matmul(in[0])}; }, {mixed({2, 2})});
}

TEST_CASE("where") {
  const Tensor condition = tensor({1, 0, 1, 0, 0, 1}, {2, 3}, {.dtype = DType::kBool});
  check_both([&](const TensorList& in) { return TensorList{where(condition, in[0], in[1])}; }, {mixed({2, 3}), mixed({2, 3}, 0.31)});
  check_both([&](const TensorList& in) { return TensorList{where(condition, in[0], in[1])}; }, {mixed({3}), mixed({2, 1}, 0.31)});
  check_both([&](const TensorList& in) { return TensorList{where(condition, in[0], in[1])}; }, {mixed({}), mixed({}, 0.31)});
}

TEST_CASE("copies") {
  check_one([](const Tensor& x) { return x.clone(); });
  check_one([](const Tensor& x) { return (x * x).contiguous(); });
  check_one([](const Tensor& x) { return x.to(DType::kFloat64) * x; });
}

TEST_CASE("views") {
  const auto check = [](OneOperand op) {
    check_both([op](const TensorList& in) { return TensorList{op(in[0] * in[0])}; }, {mixed({2, 3})});
  };
  check([](const Tensor& x) { return x.view({3, 2}); });
  check([](const Tensor& x) { return x.view({-1}); });
  check([](const Tensor& x) { return x.view_as(x); });
  check([](const Tensor& x) { return x.reshape({6}); });
  check([](const Tensor& x) { return x.t().reshape({6}); });
  check([](const Tensor& x) { return x.narrow(1, 0, 2).reshape({4}); });
  check([](const Tensor& x) { return x.select(1, 2); });
  check([](const Tensor& x) { return x.select(0, -1); });
  check([](const Tensor& x) { return x[1]; });
  check([](const Tensor& x) { return x.narrow(1, 1, 2); });
  check([](const Tensor& x) { return x.narrow(1, 1, 0); });
  check([](const Tensor& x) { return x.t(); });
  check([](const Tensor& x) { return x.unsqueeze(1); });
  check([](const Tensor& x) { return x.unsqueeze(0).squeeze(0); });
  check([](const Tensor& x) { return x.squeeze(0); });
  check([](const Tensor& x) { return x.expand({2, 2, 3}); });
  check([](const Tensor& x) { return x.narrow(0, 0, 1).expand({4, 3}); });
  check([](const Tensor& x) { return x.as_strided({2, 2}, {3, 1}, 1); });
}

TEST_CASE("writes through views and into bases") {
  const auto check = [](void (*write)(const Tensor& h, const Tensor& w)) {
    check_both(
        [write](const TensorList& in) {
          const Tensor h = in[0] * in[0];
          write(h, in[1]);
          return TensorList{h * h};
        },
        {mixed({2, 3}), positive({3}, 0.31)});
  };
  check([](const Tensor& h, const Tensor& w) { h.add_(w); });
  check([](const Tensor& h, const Tensor& w) { h.mul_(w); });
  check([](const Tensor& h, const Tensor& w) { h.div_(w); });
  check([](const Tensor& h, const Tensor& w) { h[0].mul_(w); });
  check([](const Tensor& h, const Tensor& w) { h[0].copy_(w); });
  check([](const Tensor& h, const Tensor& w) { h.t().select(1, 1).div_(w); });
  check([](const Tensor& h, const Tensor&) { h[1].exp_(); });
  check([](const Tensor& h, const Tensor&) { h.narrow(1, 1, 2).tanh_(); });
  check([](const Tensor& h, const Tensor&) { h.select(1, 0).sigmoid_(); });
  check([](const Tensor& h, const Tensor& w) {
    h[0].mul_(w);
    h.view({6}).narrow(0, 2, 3).add_(w);
  });
  check([](const Tensor& h, const Tensor& w) { h[0].fill_(w.sum()); });
  check([](const Tensor& h, const Tensor&) { h[0] = 3; });
  check([](const Tensor& h, const Tensor&) { h.select(1, 1).zero_(); });
}

TEST_CASE("compositions as deep as a small network") {
  check_both(
      [](const TensorList& in) {
        const Tensor hidden = (in[0].matmul(in[1]) + in[2]).gelu();
        return TensorList{(hidden.matmul(in[3]).sigmoid() - 0.3).pow(2).mean()};
      },
      {mixed({2, 3}), mixed({3, 4}, 0.31), mixed({4}, 0.53), mixed({4, 1}, 0.17)});
}
