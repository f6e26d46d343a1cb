// The texts of wrong shapes and indices, each as PyTorch 2.13 writes it.
#include "tests/autograd/expect.h"

using namespace gradlab;
using namespace gradlab::test;

namespace {

template <class Action>
void check(Action action, const std::string& text) {
  CHECK(error_of(action) == text);
}

}  // namespace

TEST_CASE("broadcasting") {
  check([] { ones({2, 3}) + ones({4}); },
        "RuntimeError: The size of tensor a (3) must match the size of tensor b (4) at non-singleton dimension 1");
  check([] { ones({2, 3}).eq(ones({4})); },
        "RuntimeError: The size of tensor a (3) must match the size of tensor b (4) at non-singleton dimension 1");
}

TEST_CASE("view and reshape") {
  check([] { ones({2, 3}).view({4}); }, "RuntimeError: shape '[4]' is invalid for input of size 6");
  check([] { ones({2, 3}).t().view({6}); },
        "RuntimeError: view size is not compatible with input tensor's size and stride (at least one dimension spans across two "
        "contiguous subspaces). Use .reshape(...) instead.");
  check([] { ones({0}).view({-1, 0}); },
        "RuntimeError: cannot reshape tensor of 0 elements into shape [-1, 0] because the unspecified dimension size -1 can be any "
        "value and is ambiguous");
  check([] { ones({4}).view({-1, -1}); }, "RuntimeError: only one dimension can be inferred");
  check([] { ones({4}).view({-2, 2}); }, "RuntimeError: invalid shape dimension -2 at index 0 of shape [-2, 2]");
  check([] { ones({3}).view({0}); }, "RuntimeError: shape '[0]' is invalid for input of size 3");
  check([] { ones({3}).view(Shape{}); }, "RuntimeError: shape '[]' is invalid for input of size 3");
  check([] { ones({1}).view(Shape{}); }, "no error");
  check([] { ones({0}).view({0, 3}); }, "no error");
}

TEST_CASE("select and indexing") {
  check([] { ones({3}).select(1, 0); }, "IndexError: Dimension out of range (expected to be in range of [-1, 0], but got 1)");
  check([] { scalar_tensor(1).select(0, 0); }, "IndexError: select() cannot be applied to a 0-dim tensor.");
  check([] { ones({2, 3}).select(1, 3); },
        "IndexError: select(): index 3 out of range for tensor of size [2, 3] at dimension 1");
  check([] { scalar_tensor(1)[0]; },
        "IndexError: invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in C++ to convert a 0-dim "
        "tensor to a number");
  check([] { ones({2})[2]; }, "IndexError: index 2 is out of bounds for dimension 0 with size 2");
  check([] { ones({2})[-3]; }, "IndexError: index -3 is out of bounds for dimension 0 with size 2");
}

TEST_CASE("narrow") {
  check([] { scalar_tensor(1).narrow(0, 0, 1); }, "RuntimeError: narrow() cannot be applied to a 0-dim tensor.");
  check([] { ones({3}).narrow(0, 4, 1); },
        "IndexError: start out of range (expected to be in range of [-3, 3], but got 4)");
  check([] { ones({3}).narrow(0, 0, -1); }, "RuntimeError: narrow(): length must be non-negative.");
  check([] { ones({3}).narrow(0, 1, 3); }, "RuntimeError: start (1) + length (3) exceeds dimension size (3).");
}

TEST_CASE("t, unsqueeze, squeeze and sum over a dimension") {
  check([] { ones({1, 1, 1}).t(); }, "RuntimeError: t() expects a tensor with <= 2 dimensions, but self is 3D");
  check([] { ones({3}).unsqueeze(3); }, "IndexError: Dimension out of range (expected to be in range of [-2, 1], but got 3)");
  check([] { ones({3}).squeeze(1); }, "IndexError: Dimension out of range (expected to be in range of [-1, 0], but got 1)");
  check([] { ones({3}).sum({1}); }, "IndexError: Dimension out of range (expected to be in range of [-1, 0], but got 1)");
  check([] { ones({2, 3}).sum({-1, 1}); }, "RuntimeError: dim 1 appears multiple times in the list of dims");
  check([] { scalar_tensor(1).squeeze(0); }, "no error");
  check([] { scalar_tensor(1).sum({0}); }, "no error");
}

TEST_CASE("expand") {
  check([] { ones({2, 3}).expand({3}); },
        "RuntimeError: expand(torch.FloatTensor{[2, 3]}, size=[3]): the number of sizes provided (1) must be greater or equal to the "
        "number of dimensions in the tensor (2)");
  check([] { ones({2, 3}).expand({2, 4}); },
        "RuntimeError: The expanded size of the tensor (4) must match the existing size (3) at non-singleton dimension 1.  Target "
        "sizes: [2, 4].  Tensor sizes: [2, 3]");
  check([] { ones({3}).expand({-1, 3}); },
        "RuntimeError: The expanded size of the tensor (-1) isn't allowed in a leading, non-existing dimension 0");
  check([] { ones({3}).expand({-2, 3}); }, "RuntimeError: numel: integer multiplication overflow");
}

TEST_CASE("as_strided") {
  check([] { ones({3}).as_strided({2, 2}, {2, 1}, 1); },
        "RuntimeError: setStorage: sizes [2, 2], strides [2, 1], storage offset 1, and itemsize 4 requiring a storage size of 20 are "
        "out of bounds for storage of size 12");
  check([] { ones({2, 2}).as_strided({2}, {-1}, 1); },
        "RuntimeError: as_strided: Negative strides are not supported at the moment, got strides: [-1]");
  check([] { ones({2, 2}).as_strided({2}, {1, 1}, 1); }, "RuntimeError: mismatch in length of strides and shape");
  check([] { ones({2, 2}).as_strided({2}, {1}, -1); }, "RuntimeError: Tensor: invalid storage offset -1");
  check([] { ones({2, 2}).as_strided({-2}, {1}, 1); },
        "RuntimeError: Storage size calculation overflowed with sizes=[-2] and strides=[1]");
}

TEST_CASE("matmul") {
  check([] { scalar_tensor(1).matmul(ones({2})); },
        "RuntimeError: both arguments to matmul need to be at least 1D, but they are 0D and 1D");
  check([] { ones({2}).matmul(ones({3})); },
        "RuntimeError: inconsistent tensor size, expected tensor [2] and src [3] to have the same number of elements, but got 2 and 3 "
        "elements respectively");
  check([] { ones({2, 3}).matmul(ones({2})); }, "RuntimeError: size mismatch, got input (2), mat (2x3), vec (2)");
  check([] { ones({2, 3}).matmul(ones({2, 3})); }, "RuntimeError: mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3)");
  check([] { ones({2}).matmul(ones({3, 2})); }, "RuntimeError: mat1 and mat2 shapes cannot be multiplied (1x2 and 3x2)");
}

TEST_CASE("reductions of nothing") {
  check([] { ones({0}).max(); },
        "RuntimeError: max(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim with the 'dim' "
        "argument.");
  check([] { ones({0}).min(); },
        "RuntimeError: min(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim with the 'dim' "
        "argument.");
  CHECK(ones({0}).sum().to_string() == "tensor(0.)");
  CHECK(ones({0}).mean().to_string() == "tensor(nan)");
  CHECK(ones({2, 3}).sum(Shape{}).to_string() == "tensor(6.)");
}

TEST_CASE("factories and fill_") {
  check([] { empty({2, -1}); }, "RuntimeError: Trying to create tensor with negative dimension -1: [2, -1]");
  check([] { tensor({1, 2}, {3}); }, "RuntimeError: shape '[3]' is invalid for input of size 2");
  check([] { arange(-1); }, "RuntimeError: upper bound and lower bound inconsistent with step sign");
  check([] { ones({2}).fill_(ones({2})); },
        "RuntimeError: fill_ only supports 0-dimension value tensor but got tensor with 1 dimensions.");
}

TEST_CASE("a shape too large to count") {
  constexpr std::int64_t kHuge = std::int64_t{1} << 40;
  const std::string storage = "RuntimeError: Storage size calculation overflowed with sizes=";
  const std::string huge = "[1099511627776, 1099511627776]";
  check([] { empty({kHuge, kHuge}); }, storage + huge);
  check([] { zeros({kHuge, kHuge, 0}); }, storage + "[1099511627776, 1099511627776, 0]");
  check([] { ones({1}).expand({std::int64_t{1} << 62}) + 1; }, storage + "[4611686018427387904]");
  check([] { ones({1}).expand({kHuge, 1}) + ones({1}).expand({1, kHuge}); }, storage + huge);
  check([] { ones({1}).expand({kHuge, kHuge}); }, "RuntimeError: numel: integer multiplication overflow");
  check([] { ones({1}).view({kHuge, kHuge}); }, "RuntimeError: shape '" + huge + "' is invalid for input of size 1");
}

TEST_CASE("expand of a 0-dim tensor takes every size, and then cannot count") {
  check([] { scalar_tensor(1).expand({-1}); }, "RuntimeError: numel: integer multiplication overflow");
  check([] { scalar_tensor(1).expand({-1, 1}); }, "RuntimeError: numel: integer multiplication overflow");
  check([] { ones({3}).expand({-1, 3}); },
        "RuntimeError: The expanded size of the tensor (-1) isn't allowed in a leading, non-existing dimension 0");
}

TEST_CASE("factories with a negative size") {
  check([] { zeros({2, -1}); }, "RuntimeError: zeros: Dimension size must be non-negative.");
  check([] { ones({2, -1}); }, "RuntimeError: Trying to create tensor with negative dimension -1: [2, -1]");
}

TEST_CASE("clamp and products of bool") {
  const Tensor b = ones({3}, {.dtype = DType::kBool});
  const Tensor m = ones({2, 3}, {.dtype = DType::kBool});
  check([&] { b.clamp(false, true); }, "NotImplementedError: \"clamp_scalar_cpu\" not implemented for 'Bool'");
  check([&] { b.matmul(b); }, "NotImplementedError: \"dot\" not implemented for 'Bool'");
  check([&] { m.matmul(b); }, "NotImplementedError: \"addmv_impl_cpu\" not implemented for 'Bool'");
  check([&] { m.matmul(m.t()); }, "NotImplementedError: \"addmm_impl_cpu_\" not implemented for 'Bool'");
  check([&] { m.narrow(0, 0, 0).matmul(b); }, "no error");
}

TEST_CASE("an undefined operand") {
  const Tensor none;
  const Tensor x = ones({2});
  const std::string text = "RuntimeError: Expected a proper Tensor but got None (or an undefined Tensor in C++) for argument ";
  check([&] { none * x; }, text + "#0 'self'");
  check([&] { x * none; }, text + "#1 'other'");
  check([&] { none.mul_(x); }, text + "#0 'self'");
  check([&] { x.mul_(none); }, text + "#1 'other'");
  check([&] { x.copy_(none); }, text + "#1 'src'");
  check([&] { x.fill_(none); }, text + "#1 'value'");
  check([&] { none.eq(x); }, text + "#0 'self'");
  check([&] { x.maximum(none); }, text + "#1 'other'");
  check([&] { where(none, x, x); }, text + "#0 'condition'");
  check([&] { where(x.gt(x), x, none); }, text + "#2 'other'");
  check([&] { x.matmul(none); }, text + "#1 'tensor'");
  for (const auto& op : {+[](const Tensor& t) { t + 1; }, +[](const Tensor& t) { 2 - t; }, +[](const Tensor& t) { 2 / t; },
                         +[](const Tensor& t) { -t; }, +[](const Tensor& t) { t.exp(); }, +[](const Tensor& t) { t.log(); },
                         +[](const Tensor& t) { t.relu(); }, +[](const Tensor& t) { t.gelu(); }, +[](const Tensor& t) { t.abs(); },
                         +[](const Tensor& t) { t.pow(2); }, +[](const Tensor& t) { t.clamp(0, 1); }, +[](const Tensor& t) { t.sum(); },
                         +[](const Tensor& t) { t.mean(); }, +[](const Tensor& t) { t.max(); }, +[](const Tensor& t) { t.view({1}); },
                         +[](const Tensor& t) { t.reshape({1}); }, +[](const Tensor& t) { t[0]; }, +[](const Tensor& t) { t.select(0, 0); },
                         +[](const Tensor& t) { t.narrow(0, 0, 1); }, +[](const Tensor& t) { t.t(); }, +[](const Tensor& t) { t.expand({2}); },
                         +[](const Tensor& t) { t.clone(); }, +[](const Tensor& t) { t.contiguous(); }, +[](const Tensor& t) { t.detach(); },
                         +[](const Tensor& t) { t.to(DType::kFloat64); }, +[](const Tensor& t) { t.zero_(); },
                         +[](const Tensor& t) { t.exp_(); }, +[](const Tensor& t) { t.relu_(); }}) {
    check([&] { op(none); }, text + "#0 'self'");
    const NoGradGuard no_grad;
    check([&] { op(none); }, text + "#0 'self'");
  }
}

TEST_CASE("a view that may not be used says so before its shape is looked at") {
  const Tensor x = leaf_ones({2, 3});
  const Tensor base = x * 1;
  Tensor stale;
  {
    const NoGradGuard no_grad;
    stale = base.view({1, 2, 3});
  }
  base.mul_(2);
  const std::string text = error_of([&] { stale.sum(); });
  CHECK(text.starts_with("RuntimeError: A view was created in no_grad mode and its base"));
  check([&] { stale.t(); }, text);
  check([&] { stale.expand({3}); }, text);
  check([&] { stale.as_strided({99}, {1}, 0); }, text);
  check([&] { where(stale, stale, stale); }, text);
  check([&] { stale.sub(ones({2}, {.dtype = DType::kBool})); }, text);
  check([&] { where(stale, x, x); },
        "RuntimeError: where expected condition to be a boolean tensor, but got a tensor with dtype Float");
  check([&] { stale.grad(); }, "no error");
}
