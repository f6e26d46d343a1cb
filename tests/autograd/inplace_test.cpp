// Sections 5.1, 5.2 and 5.5 of PyTorch's semantics: what may be written in place, and what a write does to histories.
#include "src/autograd/inplace.h"

#include "tests/autograd/expect.h"

using namespace gradlab;
using namespace gradlab::test;

namespace {

constexpr const char* kLeaf = "RuntimeError: a leaf Variable that requires grad is being used in an in-place operation.";
constexpr const char* kViewOfLeaf =
    "RuntimeError: a view of a leaf Variable that requires grad is being used in an in-place operation.";
constexpr const char* kInternalOverlap =
    "RuntimeError: unsupported operation: more than one element of the written-to tensor refers to a single memory location. Please "
    "clone() the tensor before performing the operation.";
constexpr const char* kPartialOverlap =
    "RuntimeError: unsupported operation: some elements of the input tensor and the written-to tensor refer to a single memory "
    "location. Please clone() the tensor before performing the operation.";

}  // namespace

TEST_CASE("a leaf that requires grad cannot be written in place") {
  const Tensor x = leaf_ones({4});
  CHECK(error_of([&] { x.add_(1); }) == kLeaf);
  CHECK(error_of([&] { x.sub_(x); }) == kLeaf);
  CHECK(error_of([&] { x.mul_(2); }) == kLeaf);
  CHECK(error_of([&] { x.div_(2); }) == kLeaf);
  CHECK(error_of([&] { x.neg_(); }) == kLeaf);
  CHECK(error_of([&] { x.exp_(); }) == kLeaf);
  CHECK(error_of([&] { x.tanh_(); }) == kLeaf);
  CHECK(error_of([&] { x.sigmoid_(); }) == kLeaf);
  CHECK(error_of([&] { x.relu_(); }) == kLeaf);
  CHECK(error_of([&] { x.zero_(); }) == kLeaf);
  CHECK(error_of([&] { x.fill_(2); }) == kLeaf);
  CHECK(error_of([&] { x.fill_(scalar_tensor(2)); }) == kLeaf);
  CHECK(error_of([&] { x.copy_(ones({4})); }) == kLeaf);
  CHECK(x.to_string() == "tensor([1., 1., 1., 1.], requires_grad=True)");
}

TEST_CASE("neither can a view of one") {
  const Tensor x = leaf_ones({4});
  CHECK(error_of([&] { x.narrow(0, 0, 2).add_(1); }) == kViewOfLeaf);
  CHECK(error_of([&] { x.view({2, 2}).mul_(2); }) == kViewOfLeaf);
  CHECK(error_of([&] { x[0] = 1; }) == kViewOfLeaf);
  CHECK(error_of([&] { x.narrow(0, 0, 2)[0].fill_(1); }) == kViewOfLeaf);
}

TEST_CASE("under no_grad both can, and so can data and detach with grad mode on") {
  const Tensor x = leaf_ones({2});
  {
    const NoGradGuard no_grad;
    x.add_(1);
    x[0] = 7;
  }
  x.data().mul_(2);
  x.detach().add_(1);
  CHECK(x.to_string() == "tensor([15.,  5.], requires_grad=True)");
  CHECK(x.is_leaf());
}

TEST_CASE("a view of a plain tensor that was made a leaf itself") {
  const Tensor z = ones({4});
  const Tensor v = z.narrow(0, 0, 2).requires_grad_();
  CHECK(error_of([&] { v.add_(1); }) == kViewOfLeaf);
}

TEST_CASE("detach_ makes a leaf stop requiring grad") {
  const Tensor x = leaf_ones({2});
  x.detach_();
  CHECK_FALSE(x.requires_grad());
  const Tensor h = leaf_ones({2}) * 2;
  h.detach_();
  CHECK(h.is_leaf());
  CHECK_FALSE(h.requires_grad());
}

TEST_CASE("a view cannot be detached in place") {
  const Tensor h = leaf_ones({2}) * 2;
  CHECK(error_of([&] { h.narrow(0, 0, 1).detach_(); }) ==
        "RuntimeError: Can't detach views in-place. Use detach() instead. If you are using DistributedDataParallel (DDP) for "
        "training, and gradient_as_bucket_view is set as True, gradients are views of DDP buckets, and hence detach_() cannot be "
        "called on these gradients. To fix this error, please refer to the Optimizer.zero_grad() function in "
        "torch/optim/optimizer.py as the solution.");
}

TEST_CASE("writing a non-leaf replaces its grad_fn") {
  const Tensor x = leaf_ones({2});
  const Tensor h = x * 3;
  const Ref<Node> before = h.grad_fn();
  h.add_(1);
  CHECK(name_of(h) == "AddBackward0");
  CHECK(h.grad_fn()->next_edges()[0].function == before);
  h.sum().backward();
  CHECK(x.grad().to_string() == "tensor([3., 3.])");
}

TEST_CASE("writing a tensor times its own detach fails in backward: the detach was saved before the write") {
  const Tensor h = leaf_ones({2}) * 3;
  h.mul_(h.detach());
  const Tensor y = h.sum();
  CHECK(error_of([&] { y.backward(); }) == version_error("[2]", "", 1, 0));
}

TEST_CASE("a plain tensor becomes a non-leaf when something that requires grad is written into it") {
  const Tensor x = leaf_ones({2});
  const Tensor z = zeros({2});
  const Tensor view = z.narrow(0, 0, 1);
  const Tensor detached = z.detach();
  z.add_(x);
  CHECK(name_of(z) == "AddBackward0");
  CHECK(z.requires_grad());
  CHECK_FALSE(z.is_leaf());
  CHECK(name_of(view) == "AsStridedBackward0");
  CHECK_FALSE(detached.requires_grad());
  z.sum().backward();
  CHECK(x.grad().to_string() == "tensor([1., 1.])");
}

TEST_CASE("each in-place op gives the gradient of its out-of-place form") {
  const auto both = [](auto in_place, auto out_of_place) {
    const Tensor a = tensor({0.5, -1.5}, doubles());
    const Tensor b = tensor({0.5, -1.5}, doubles());
    const Tensor h = a * 1;
    in_place(h);
    (h * h).sum().backward();
    const Tensor y = out_of_place(b * 1);
    (y * y).sum().backward();
    CHECK(equal(h, y));
    CHECK(equal(a.grad(), b.grad()));
  };
  const Tensor c = tensor({2, 3}, doubles(false));
  both([&](const Tensor& h) { h.add_(c); }, [&](const Tensor& h) { return h + c; });
  both([&](const Tensor& h) { h.sub_(c); }, [&](const Tensor& h) { return h - c; });
  both([&](const Tensor& h) { h.mul_(c); }, [&](const Tensor& h) { return h * c; });
  both([&](const Tensor& h) { h.div_(c); }, [&](const Tensor& h) { return h / c; });
  both([](const Tensor& h) { h.add_(2); }, [](const Tensor& h) { return h + 2; });
  both([](const Tensor& h) { h.sub_(2); }, [](const Tensor& h) { return h - 2; });
  both([](const Tensor& h) { h.mul_(2); }, [](const Tensor& h) { return h * 2; });
  both([](const Tensor& h) { h.div_(2); }, [](const Tensor& h) { return h / 2; });
  both([](const Tensor& h) { h.neg_(); }, [](const Tensor& h) { return -h; });
  both([](const Tensor& h) { h.exp_(); }, [](const Tensor& h) { return h.exp(); });
  both([](const Tensor& h) { h.tanh_(); }, [](const Tensor& h) { return h.tanh(); });
  both([](const Tensor& h) { h.sigmoid_(); }, [](const Tensor& h) { return h.sigmoid(); });
  both([](const Tensor& h) { h.relu_(); }, [](const Tensor& h) { return h.relu(); });
  both([](const Tensor& h) { h.zero_(); }, [](const Tensor& h) { return h * 0; });
}

TEST_CASE("fill_ and copy_ cut the old history and take up the new one") {
  const Tensor x = leaf_ones({2});
  const Tensor w = leaf({3, 4});
  const Tensor s = leaf_scalar(5);
  const Tensor h = x * 2;
  h.copy_(w);
  CHECK(name_of(h) == "torch::autograd::CopyBackwards");
  h.sum().backward();
  CHECK(x.grad().to_string() == "tensor([0., 0.])");
  CHECK(w.grad().to_string() == "tensor([1., 1.])");
  const Tensor k = x * 2;
  k.fill_(s);
  CHECK(k.to_string() == "tensor([5., 5.], grad_fn=<FillBackward3>)");
  k.sum().backward();
  CHECK(s.grad().to_string() == "tensor(2.)");
}

TEST_CASE("copy_ converts and broadcasts, and the gradient comes back in the source's dtype and shape") {
  const Tensor source = tensor({2}, doubles());
  const Tensor h = zeros({3});
  h.copy_(source);
  h.sum().backward();
  CHECK(h.to_string() == "tensor([2., 2., 2.], grad_fn=<CopyBackwards>)");
  CHECK(source.grad().to_string() == "tensor([3.], dtype=torch.float64)");
}

TEST_CASE("an in-place result must have the written shape") {
  CHECK(error_of([] { ones({3}).add_(ones({2, 3})); }) ==
        "RuntimeError: output with shape [3] doesn't match the broadcast shape [2, 3]");
  CHECK(error_of([] { ones({1}).mul_(ones({3})); }) ==
        "RuntimeError: output with shape [1] doesn't match the broadcast shape [3]");
}

TEST_CASE("an in-place result must fit the written dtype") {
  const Tensor longs = ones({2}, {.dtype = DType::kInt64});
  const std::string text = "RuntimeError: result type Float can't be cast to the desired output type Long";
  CHECK(error_of([&] { longs.mul_(1.5); }) == text);
  CHECK(error_of([&] { longs.div_(2); }) == text);
  CHECK(error_of([&] { longs.exp_(); }) == text);
  CHECK(error_of([&] { longs.add_(ones({2}, doubles(false))); }) ==
        "RuntimeError: result type Double can't be cast to the desired output type Long");
  CHECK(error_of([&] { ones({2}).add_(ones({2}, doubles(false))); }) == "no error");
}

TEST_CASE("memory that several elements share cannot be written") {
  const Tensor expanded = ones({1}).expand({3});
  CHECK(error_of([&] { expanded.add_(1); }) == kInternalOverlap);
  CHECK(error_of([&] { expanded.exp_(); }) == kInternalOverlap);
  CHECK(error_of([&] { expanded.neg_(); }) == kInternalOverlap);
  CHECK(error_of([&] { expanded.copy_(ones({3})); }) == kInternalOverlap);
}

TEST_CASE("memory that partly overlaps an operand cannot be written") {
  const Tensor x = ones({4});
  CHECK(error_of([&] { x.narrow(0, 0, 3).add_(x.narrow(0, 1, 3)); }) == kPartialOverlap);
  CHECK(error_of([&] { x.mul_(x.narrow(0, 0, 1)); }) == kPartialOverlap);
  CHECK(error_of([&] { x.copy_(x.view({2, 2}).t().reshape({4})); }) == "no error");
  CHECK(error_of([&] { x.add_(x); }) == "no error");
  CHECK(error_of([&] { x.narrow(0, 0, 2).add_(x.narrow(0, 2, 2)); }) == "no error");
}

TEST_CASE("an assignment of another shape names both") {
  CHECK(error_of([] { ones({3}).narrow(0, 0, 2).copy_(ones({3})); }) ==
        "RuntimeError: The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 0");
}
