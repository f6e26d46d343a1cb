// Section 12 of PyTorch's semantics: strides, dtypes and identity of what operations return.
#include <limits>

#include "tests/autograd/expect.h"

using namespace gradlab;
using namespace gradlab::test;

namespace {

constexpr DType kBool = DType::kBool;
constexpr DType kInt = DType::kInt32;
constexpr DType kLong = DType::kInt64;
constexpr DType kFloat = DType::kFloat32;
constexpr DType kDouble = DType::kFloat64;
constexpr DType kAll[] = {kBool, kInt, kLong, kFloat, kDouble};

Tensor of(DType dtype) { return ones({2}, {.dtype = dtype}); }

}  // namespace

TEST_CASE("an elementwise op keeps the strides of a dense tensor") {
  const Tensor t = ones({2, 3}).t();
  const Shape strides{1, 3};
  CHECK((t * 2).strides() == strides);
  CHECK(t.exp().strides() == strides);
  CHECK(t.clone().strides() == strides);
  CHECK(t.to(kDouble).strides() == strides);
  CHECK(t.eq(t).strides() == strides);
  CHECK(zeros_like(t).strides() == strides);
  CHECK(t.clamp(0, 1).strides() == strides);
  CHECK(where(t.gt(t), t, t).strides() == strides);
}

TEST_CASE("on any other tensor it gives row-major ones") {
  CHECK((ones({2, 3}).narrow(1, 0, 2) * 2).strides() == Shape{2, 1});
  CHECK(ones({2, 3}).expand({2, 2, 3}).mul(1).strides() == Shape{6, 3, 1});
}

TEST_CASE("of several operands the first whose strides decide wins, and stride 0 does not count") {
  const Tensor t = ones({2, 3}).t();
  const Tensor row = ones({2});
  CHECK((t + row).strides() == Shape{1, 3});
  CHECK((row + t).strides() == Shape{1, 3});
  CHECK(t.maximum(row).strides() == Shape{1, 3});
}

TEST_CASE("matmul is row-major, a sum keeps the order of what is left") {
  const Tensor m = ones({2, 3});
  CHECK(m.t().matmul(m).strides() == Shape{3, 1});
  CHECK(m.t().sum({0}, true).strides() == Shape{2, 1});
  CHECK(m.sum({0}).strides() == Shape{1});
}

TEST_CASE("strides of views") {
  const Tensor m = ones({3, 4});
  CHECK(m.unsqueeze(0).strides() == Shape{12, 4, 1});
  CHECK(m.unsqueeze(1).strides() == Shape{4, 4, 1});
  CHECK(m.unsqueeze(2).strides() == Shape{4, 1, 1});
  CHECK(m.t().unsqueeze(0).strides() == Shape{4, 1, 4});
  CHECK(ones({1}).expand({2, 3}).strides() == Shape{0, 0});
  CHECK(ones({2, 1}).expand({2, 3}).strides() == Shape{1, 0});
  CHECK(m.t().strides() == Shape{1, 4});
  CHECK(m.narrow(0, 1, 2).storage_offset() == 4);
  CHECK(m.select(1, 2).strides() == Shape{4});
}

TEST_CASE("what has nothing to do returns the very tensor, a view is always a new one") {
  const Tensor x = ones({2});
  CHECK(x.contiguous().is_same(x));
  CHECK(x.to(kFloat).is_same(x));
  CHECK(x.to(Device::kCpu).is_same(x));
  CHECK_FALSE(x.view({2}).is_same(x));
  CHECK_FALSE(x.reshape({2}).is_same(x));
  CHECK_FALSE(x.expand({2}).is_same(x));
  CHECK_FALSE(x.t().is_same(x));
  CHECK_FALSE(x.squeeze(0).is_same(x));
  CHECK_FALSE(x.clone().is_same(x));
}

TEST_CASE("tensors with dimensions promote to the wider one") {
  const DType expected[5][5] = {{kBool, kInt, kLong, kFloat, kDouble},
                                {kInt, kInt, kLong, kFloat, kDouble},
                                {kLong, kLong, kLong, kFloat, kDouble},
                                {kFloat, kFloat, kFloat, kFloat, kDouble},
                                {kDouble, kDouble, kDouble, kDouble, kDouble}};
  for (std::size_t a = 0; a < 5; ++a) {
    for (std::size_t b = 0; b < 5; ++b) {
      CHECK((of(kAll[a]) + of(kAll[b])).dtype() == expected[a][b]);
      CHECK((of(kAll[a]) * of(kAll[b])).dtype() == expected[a][b]);
      CHECK(of(kAll[a]).maximum(of(kAll[b])).dtype() == expected[a][b]);
      CHECK(where(of(kBool), of(kAll[a]), of(kAll[b])).dtype() == expected[a][b]);
    }
  }
}

TEST_CASE("numbers and 0-dim tensors only raise the category") {
  const DType with_int[] = {kLong, kInt, kLong, kFloat, kDouble};
  const DType with_float[] = {kFloat, kFloat, kFloat, kFloat, kDouble};
  const DType with_scalar_int[] = {kInt, kInt, kLong, kFloat, kDouble};
  const DType with_scalar_double[] = {kDouble, kDouble, kDouble, kFloat, kDouble};
  for (std::size_t i = 0; i < 5; ++i) {
    const Tensor t = of(kAll[i]);
    CHECK((t + true).dtype() == kAll[i]);
    CHECK((t + 1).dtype() == with_int[i]);
    CHECK((t + 1.5).dtype() == with_float[i]);
    CHECK((t + scalar_tensor(1, {.dtype = kBool})).dtype() == kAll[i]);
    CHECK((t + scalar_tensor(1, {.dtype = kInt})).dtype() == with_scalar_int[i]);
    CHECK((t + scalar_tensor(1, {.dtype = kDouble})).dtype() == with_scalar_double[i]);
  }
}

TEST_CASE("division and math of integers give float32, sums of them int64") {
  for (const DType dtype : {kBool, kInt, kLong}) {
    const Tensor t = of(dtype);
    for (const Tensor& result : {t / t, t / 2, t.exp(), t.log(), t.sqrt(), t.tanh(), t.sigmoid(), t.erf(), t.reciprocal()}) {
      CHECK(result.dtype() == kFloat);
    }
    CHECK(t.sum().dtype() == kLong);
    CHECK(t.sum({0}).dtype() == kLong);
    CHECK(t.max().dtype() == dtype);
    CHECK(t.min().dtype() == dtype);
    CHECK(t.pow(0.5).dtype() == kFloat);
  }
  CHECK(of(kBool).pow(2).dtype() == kLong);
  CHECK(of(kInt).pow(2).dtype() == kInt);
  CHECK(of(kDouble).exp().dtype() == kDouble);
  CHECK(of(kDouble).sum().dtype() == kDouble);
}

TEST_CASE("integer arithmetic is exact and wraps around") {
  CHECK((tensor({1, 2}, TensorOptions{.dtype = kInt}) - 1).to_string() == "tensor([0, 1], dtype=torch.int32)");
  CHECK((1 - tensor({1, 2}, TensorOptions{.dtype = kLong})).to_string() == "tensor([ 0, -1])");
  CHECK((tensor({2147483647}, TensorOptions{.dtype = kInt}) + 1).to_string() == "tensor([-2147483648], dtype=torch.int32)");
  CHECK((tensor({1, -2, 0}, TensorOptions{.dtype = kLong}) / 0).to_string() == "tensor([inf, -inf, nan])");
  CHECK(tensor({1, 2}, TensorOptions{.dtype = kLong}).matmul(tensor({3, 4}, TensorOptions{.dtype = kLong})).to_string() == "tensor(11)");
  CHECK(full({2, 2}, 3, {.dtype = kInt}).matmul(full({2, 2}, 3, {.dtype = kInt})).to_string() ==
        "tensor([[18, 18],\n        [18, 18]], dtype=torch.int32)");
}

TEST_CASE("bool arithmetic is or and and") {
  const Tensor b = tensor({1, 0}, TensorOptions{.dtype = kBool});
  CHECK((b + b).to_string() == "tensor([ True, False])");
  CHECK((b * b).to_string() == "tensor([ True, False])");
  CHECK(b.sign().to_string() == "tensor([ True, False])");
  CHECK(b.max().to_string() == "tensor(True)");
  CHECK(b.min().to_string() == "tensor(False)");
  CHECK(b.sum().to_string() == "tensor(1)");
}

TEST_CASE("converting truncates to integers and makes nan true") {
  CHECK(tensor({1.9, -1.9}).to(kLong).to_string() == "tensor([ 1, -1])");
  CHECK(tensor({1.9, 0, std::numeric_limits<double>::quiet_NaN()}).to(kBool).to_string() == "tensor([ True, False,  True])");
}

TEST_CASE("a gradient comes back in each operand's own dtype") {
  const Tensor x = leaf({1, 2});
  const Tensor y = tensor({3, 4}, doubles());
  (x * y).sum().backward();
  CHECK(x.grad().to_string() == "tensor([3., 4.])");
  CHECK(y.grad().to_string() == "tensor([1., 2.], dtype=torch.float64)");
  const Tensor z = leaf({1, 2});
  z.to(kDouble).mul(2).sum().backward();
  CHECK(z.grad().to_string() == "tensor([2., 2.])");
}

TEST_CASE("what some dtypes cannot do") {
  const std::string two_bools =
      "RuntimeError: Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or `logical_xor()` operator "
      "instead.";
  const std::string one_bool =
      "RuntimeError: Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to invert a mask, use the "
      "`~` or `logical_not()` operator instead.";
  const std::string negated =
      "RuntimeError: Negation, the `-` operator, on a bool tensor is not supported. If you are trying to invert a mask, use the `~` "
      "or `logical_not()` operator instead.";
  const Tensor b = of(kBool);
  const Tensor i = of(kLong);
  CHECK(error_of([&] { b - b; }) == two_bools);
  CHECK(error_of([&] { b - 1; }) == one_bool);
  CHECK(error_of([&] { 1 - b; }) == one_bool);
  CHECK(error_of([&] { i - b; }) == one_bool);
  CHECK(error_of([&] { -b; }) == negated);
  CHECK(error_of([&] { i.mean(); }) ==
        "RuntimeError: mean(): could not infer output dtype. Input dtype must be either a floating point or complex dtype. Got: Long");
  CHECK(error_of([&] { b.abs(); }) == "NotImplementedError: \"abs_cpu\" not implemented for 'Bool'");
  CHECK(error_of([&] { b.relu(); }) == "RuntimeError: Boolean inputs not supported for relu");
  CHECK(error_of([&] { i.gelu(); }) == "NotImplementedError: \"GeluKernelImpl\" not implemented for 'Long'");
  CHECK(error_of([&] { i.pow(-1); }) == "RuntimeError: Integers to negative integer powers are not allowed.");
  CHECK(error_of([&] { b.matmul(b); }) == "NotImplementedError: \"dot\" not implemented for 'Bool'");
  CHECK(error_of([] { ones({2, 2}, {.dtype = kBool}).matmul(ones({2, 2}, {.dtype = kBool})); }) ==
        "NotImplementedError: \"addmm_impl_cpu_\" not implemented for 'Bool'");
  CHECK(error_of([&] { i.matmul(of(kFloat)); }) ==
        "RuntimeError: dot : expected both vectors to have same dtype, but found Long and Float");
  CHECK(error_of([] { ones({2, 2}, {.dtype = kLong}).matmul(ones({2, 2})); }) ==
        "RuntimeError: expected m1 and m2 to have the same dtype, but got: long int != float");
  CHECK(error_of([] { ones({2, 2}, {.dtype = kLong}).matmul(ones({2})); }) ==
        "RuntimeError: addmv input tensors must have the same dtype, but got Float, Long, and Float");
  CHECK(error_of([&] { where(i, i, i); }) ==
        "RuntimeError: where expected condition to be a boolean tensor, but got a tensor with dtype Long");
}

TEST_CASE("clamp with a nan bound is nan everywhere") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(tensor({1, 2}, {.dtype = kLong}).clamp(0, nan).to_string() == "tensor([nan, nan])");
  CHECK(tensor({1, 2}).clamp(nan, 1).to_string() == "tensor([nan, nan])");
}

TEST_CASE("a product of integers reads them where they lie") {
  const Tensor m = tensor({0, 1, 2, 3, 4, 5}, {2, 3}, {.dtype = kLong});
  CHECK(m.narrow(1, 1, 2).matmul(tensor({1, 2}, {.dtype = kLong})).to_string() == "tensor([ 5, 14])");
  CHECK(m.select(1, 1).matmul(m.select(1, 2)).item() == 22);
  CHECK(tensor({2}, {.dtype = kLong}).expand({3}).matmul(tensor({1, 2, 3}, {.dtype = kLong})).item() == 12);
}

TEST_CASE("integers that were filled from a tensor in the graph are in it, their integer results cannot be") {
  const Tensor x = tensor({1, 2, 3}, {.dtype = kLong});
  const std::string text = "RuntimeError: Autograd not support dtype: Long";
  x.fill_(leaf_scalar(2));
  CHECK(name_of(x) == "FillBackward3");
  CHECK(name_of(x.exp()) == "ExpBackward0");
  CHECK(name_of(x.log()) == "LogBackward0");
  CHECK(name_of(x / 2) == "DivBackward0");
  CHECK(error_of([&] { x * 2; }) == text);
  CHECK(error_of([&] { x.sum(); }) == text);
  CHECK(error_of([&] { x.view({3, 1}); }) == text);
  CHECK(error_of([&] { x.mul_(x); }) == text);
  CHECK(x.version() == 1);
  x.add_(2);
  CHECK(name_of(x) == "AddBackward0");
}

TEST_CASE("where has an edge to each of the two tensors it chooses from") {
  const Tensor a = leaf({1, 2});
  CHECK(where(a.gt(a), a, a).grad_fn()->next_edges().size() == 2);
}

TEST_CASE("of two zeros maximum and minimum give the first") {
  const Tensor plus = tensor({0.0});
  const Tensor minus = tensor({-0.0});
  CHECK(plus.maximum(minus).to_string() == "tensor([0.])");
  CHECK(minus.maximum(plus).to_string() == "tensor([-0.])");
  CHECK(plus.minimum(minus).to_string() == "tensor([0.])");
  CHECK(minus.minimum(plus).to_string() == "tensor([-0.])");
}

TEST_CASE("sign of a bool is laid out as any unary op's result") {
  CHECK(ones({0, 1}, {.dtype = kBool}).as_strided({0, 1}, {1, 0}, 0).sign().strides() == Shape{1, 1});
}

TEST_CASE("the gradient of a square root of -inf is nan") {
  const Tensor x = leaf({-std::numeric_limits<double>::infinity()});
  x.pow(0.5).backward();
  CHECK(x.grad().to_string() == "tensor([nan])");
}

TEST_CASE("an operand that lies in the written memory is read as far as it is written") {
  const Tensor x = tensor({3, 3, -1, 2}, {2, 2});
  x.mul_(x.narrow(0, 0, 1).expand({2, 2}));
  CHECK(x.to_vector() == std::vector<double>{9, 9, -9, 18});
  const Tensor b = tensor({1, 2, 3, 4, 5, 6}, {2, 3});
  b.narrow(1, 1, 2).copy_(b.narrow(1, 0, 2));
  CHECK(b.to_vector() == std::vector<double>{1, 1, 1, 4, 4, 4});
}
