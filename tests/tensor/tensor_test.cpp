// The tensor itself: factories, what it says of itself, handles, values on the host.
#include "src/tensor/tensor.h"

#include <limits>

#include "src/tensor/tensor_impl.h"
#include "tests/autograd/expect.h"

using namespace gradlab;
using namespace gradlab::test;

TEST_CASE("factories fill, and give dtype, device and requires_grad") {
  CHECK(zeros({2}).to_string() == "tensor([0., 0.])");
  CHECK(ones({2}, {.dtype = DType::kInt64}).to_string() == "tensor([1, 1])");
  CHECK(full({2}, 2.5, {.dtype = DType::kFloat64}).to_string() == "tensor([2.5000, 2.5000], dtype=torch.float64)");
  CHECK(scalar_tensor(3, {.requires_grad = true}).to_string() == "tensor(3., requires_grad=True)");
  CHECK(arange(4).to_string() == "tensor([0., 1., 2., 3.])");
  CHECK(arange(3, {.dtype = DType::kInt64}).to_string() == "tensor([0, 1, 2])");
  CHECK(tensor({1, 0, 1}, TensorOptions{.dtype = DType::kBool}).to_string() == "tensor([ True, False,  True])");
  CHECK(tensor({1, 2, 3, 4}, {2, 2}).to_string() == "tensor([[1., 2.],\n        [3., 4.]])");
  CHECK(empty({0}).to_string() == "tensor([])");
}

TEST_CASE("a tensor knows its shape, strides and size") {
  const Tensor x = zeros({2, 3, 4});
  CHECK(x.shape() == Shape{2, 3, 4});
  CHECK(x.strides() == Shape{12, 4, 1});
  CHECK(x.dim() == 3);
  CHECK(x.numel() == 24);
  CHECK(x.size(1) == 3);
  CHECK(x.size(-1) == 4);
  CHECK(scalar_tensor(1).dim() == 0);
  CHECK(scalar_tensor(1).numel() == 1);
  CHECK(zeros({3, 0}).numel() == 0);
  CHECK(error_of([&] { x.size(3); }) == "IndexError: Dimension out of range (expected to be in range of [-3, 2], but got 3)");
}

TEST_CASE("copies of a handle are the same tensor, an undefined one stands for None") {
  const Tensor x = ones({2});
  const Tensor same = x;
  CHECK(same.is_same(x));
  CHECK_FALSE(ones({2}).is_same(x));
  same.mul_(3);
  CHECK(x.to_string() == "tensor([3., 3.])");
  CHECK_FALSE(Tensor().defined());
  CHECK(x.defined());
}

TEST_CASE("contiguous is row-major without gaps, non-overlapping and dense is any order without gaps") {
  const Tensor x = zeros({2, 3});
  CHECK(x.is_contiguous());
  CHECK_FALSE(x.t().is_contiguous());
  CHECK(x.t().is_non_overlapping_and_dense());
  CHECK_FALSE(x.narrow(1, 0, 2).is_contiguous());
  CHECK_FALSE(x.narrow(1, 0, 2).is_non_overlapping_and_dense());
  CHECK_FALSE(zeros({1}).expand({3}).is_non_overlapping_and_dense());
  CHECK(x.narrow(0, 1, 1).is_contiguous());
  CHECK(zeros({0, 3}).is_contiguous());
  CHECK(zeros({2, 1}).t().is_contiguous());
}

TEST_CASE("views alias, copies do not") {
  const Tensor x = zeros({4});
  CHECK(x.narrow(0, 1, 2).is_alias_of(x));
  CHECK(x.detach().is_alias_of(x));
  CHECK(x.data().is_alias_of(x));
  CHECK_FALSE(x.clone().is_alias_of(x));
  CHECK(x.narrow(0, 1, 2).data_ptr<float>() == x.data_ptr<float>() + 1);
}

TEST_CASE("to_vector walks row by row, whatever the strides") {
  const Tensor x = tensor({1, 2, 3, 4, 5, 6}, {2, 3});
  CHECK(x.t().to_vector() == std::vector<double>{1, 4, 2, 5, 3, 6});
  CHECK(x.narrow(1, 1, 2).to_vector() == std::vector<double>{2, 3, 5, 6});
  CHECK(x.select(1, 2).expand({2, 2}).to_vector() == std::vector<double>{3, 6, 3, 6});
  CHECK(zeros({0}).to_vector().empty());
  CHECK(tensor({1, 0}, TensorOptions{.dtype = DType::kBool}).to_vector() == std::vector<double>{1, 0});
}

TEST_CASE("item is the float itself, exactly") {
  CHECK(scalar_tensor(0.1).item() == static_cast<double>(0.1F));
  CHECK(scalar_tensor(0.1, {.dtype = DType::kFloat64}).item() == 0.1);
  CHECK(scalar_tensor(9007199254740992, {.dtype = DType::kInt64}).item() == 9007199254740992.0);
}

TEST_CASE("as_strided counts from the storage's start, and may overlap itself") {
  const Tensor x = arange(6);
  CHECK(x.narrow(0, 2, 4).as_strided({2}, {1}, 0).to_string() == "tensor([0., 1.])");
  CHECK(x.as_strided({2, 3}, {1, 1}, 1).to_string() == "tensor([[1., 2., 3.],\n        [2., 3., 4.]])");
}

TEST_CASE("printing records nothing and does not change a tensor") {
  const Tensor x = leaf_ones({2});
  const Tensor y = x * 2;
  CHECK(y.to_string() == "tensor([2., 2.], grad_fn=<MulBackward0>)");
  CHECK(y.version() == 0);
  CHECK(x.to_string() == "tensor([1., 1.], requires_grad=True)");
}

TEST_CASE("a tensor's memory goes with its last handle or view") {
  Tensor x = ones({2});
  Tensor view = x.narrow(0, 0, 1);
  const WeakRef<Storage> storage(x.impl()->storage);
  x = Tensor();
  CHECK_FALSE(storage.expired());
  view = Tensor();
  CHECK(storage.expired());
}

TEST_CASE("a graph goes with its last tensor, leaves stay") {
  const Tensor x = leaf_ones({2});
  Tensor y = (x * 2).exp().sum();
  const WeakRef<Node> node(y.grad_fn());
  const WeakRef<Node> first(y.grad_fn()->next_edges()[0].function->next_edges()[0].function);
  y = Tensor();
  CHECK(node.expired());
  CHECK(first.expired());
  CHECK(x.to_string() == "tensor([1., 1.], requires_grad=True)");
}
