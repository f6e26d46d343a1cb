// Sections 4.5 and 4.6 of PyTorch's semantics: what becomes of .grad.
#include "src/autograd/accumulate_grad.h"

#include "tests/autograd/expect.h"

using namespace gradlab;
using namespace gradlab::test;

namespace {

struct KeepsItsGradient : Function<KeepsItsGradient> {
  static inline Tensor kept;
  static Tensor forward(Context&, const Tensor& x) { return x * 1; }
  static Tensor backward(Context&, const Tensor& g) {
    kept = g * 2;
    return kept;
  }
};

struct GivesItsGradientAway : Function<GivesItsGradientAway> {
  static inline void* address;
  static Tensor forward(Context&, const Tensor& x) { return x * 1; }
  static Tensor backward(Context&, const Tensor& g) {
    Tensor mine = g * 2;
    address = mine.data_ptr();
    return mine;
  }
};

}  // namespace

TEST_CASE("a gradient that nobody else holds is taken as it is") {
  const Tensor x = leaf_ones({3});
  GivesItsGradientAway::apply(x).sum().backward();
  CHECK(x.grad().data_ptr() == GivesItsGradientAway::address);
  CHECK(x.grad().version() == 0);
}

TEST_CASE("a gradient that backward keeps is copied, and the copy starts at version 1") {
  const Tensor x = leaf_ones({3});
  KeepsItsGradient::apply(x).sum().backward();
  CHECK(x.grad().data_ptr() != KeepsItsGradient::kept.data_ptr());
  CHECK(x.grad().version() == 1);
  KeepsItsGradient::kept = Tensor();
}

TEST_CASE("an expanded gradient becomes dense") {
  const Tensor x = leaf_ones({3});
  x.sum().backward();
  CHECK(x.grad().strides() == Shape{1});
  CHECK(x.grad().version() == 1);
}

TEST_CASE("a gradient is laid out as its parameter is") {
  const Tensor row_major = leaf_ones({2, 3});
  (row_major.t() * 2).sum().backward();
  CHECK(row_major.grad().strides() == Shape{3, 1});
  CHECK(row_major.grad().version() == 1);
  const Tensor column_major = ones({2, 3}).t().requires_grad_();
  (column_major * 2).sum().backward();
  CHECK(column_major.grad().strides() == Shape{1, 3});
  CHECK(column_major.grad().version() == 1);
}

TEST_CASE("the caller's own seed is copied") {
  const Tensor x = leaf_ones({3});
  const Tensor seed = ones({3});
  (x + 0).backward(seed);
  CHECK(x.grad().data_ptr() != seed.data_ptr());
  CHECK(x.grad().version() == 1);
}

TEST_CASE("a further gradient is added in place: an alias taken earlier changes too") {
  const Tensor x = leaf_ones({3});
  (x * 2).sum().backward();
  const Tensor g = x.grad();
  CHECK(g.version() == 0);
  (x * 3).sum().backward();
  CHECK(x.grad().is_same(g));
  CHECK(g.to_string() == "tensor([5., 5., 5.])");
  CHECK(g.version() == 1);
}

TEST_CASE("with create_graph the first gradient is a copy with a history if it has one") {
  const Tensor x = leaf_ones({3});
  (x * 2).sum().backward({}, {.create_graph = true});
  CHECK(x.grad().to_string() == "tensor([2., 2., 2.])");
  CHECK(x.grad().version() == 1);
  x.set_grad({});
  (x * x).sum().backward({}, {.create_graph = true});
  CHECK(x.grad().to_string() == "tensor([2., 2., 2.], grad_fn=<CopyBackwards>)");
  CHECK(x.grad().version() == 1);
  const Tensor before = x.grad();
  (x * x).sum().backward({}, {.create_graph = true});
  CHECK_FALSE(x.grad().is_same(before));
  CHECK(x.grad().to_string() == "tensor([4., 4., 4.], grad_fn=<AddBackward0>)");
  x.set_grad({});  // x -> grad -> node -> x would be a cycle: what the warning is about
}

TEST_CASE("with create_graph a further gradient makes a new tensor") {
  const Tensor x = leaf_ones({3});
  (x * x).sum().backward();
  const Tensor before = x.grad();
  (x * 2).sum().backward({}, {.create_graph = true});
  CHECK_FALSE(x.grad().is_same(before));
  CHECK(before.to_string() == "tensor([2., 2., 2.])");
  CHECK(x.grad().to_string() == "tensor([4., 4., 4.])");
}

TEST_CASE("a non-leaf keeps a gradient only if asked to, each time in a new tensor") {
  const Tensor x = leaf_ones({3});
  const Tensor h = x * 2;
  h.retain_grad();
  h.retain_grad();
  CHECK(h.retains_grad());
  h.sum().backward({}, {.retain_graph = true});
  const Tensor first = h.grad();
  CHECK(first.to_string() == "tensor([1., 1., 1.])");
  CHECK(first.version() == 0);
  (h * 2).sum().backward();
  CHECK(h.grad().to_string() == "tensor([3., 3., 3.])");
  CHECK(first.to_string() == "tensor([1., 1., 1.])");
}

TEST_CASE("grad fills a retained gradient too") {
  const Tensor x = leaf_ones({3});
  const Tensor h = x * 2;
  h.retain_grad();
  grad({h.sum()}, {h});
  CHECK(h.grad().to_string() == "tensor([1., 1., 1.])");
}

TEST_CASE("retain_grad needs requires_grad, and does nothing on a leaf") {
  CHECK(error_of([] { ones({2}).retain_grad(); }) == "RuntimeError: can't retain_grad on Tensor that has requires_grad=False");
  const Tensor x = leaf_ones({2});
  x.retain_grad();
  CHECK_FALSE(x.retains_grad());
}

TEST_CASE("reading .grad of a non-leaf warns") {
  const Tensor x = leaf_ones({2});
  const Tensor h = x * 2;
  const std::vector<std::string> warnings = warnings_of([&] { CHECK_FALSE(h.grad().defined()); });
  REQUIRE(warnings.size() == 1);
  CHECK(warnings[0].starts_with(
      "UserWarning: The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its .grad attribute won't be "
      "populated during autograd.backward(). If you indeed want the .grad field to be populated for a non-leaf Tensor, use "
      ".retain_grad() on the non-leaf Tensor. If you access the non-leaf Tensor by mistake, make sure you access the leaf Tensor "
      "instead. See github.com/pytorch/pytorch/pull/30531 for more information."));
  CHECK(warnings_of([&] { x.grad(); }).empty());
  CHECK(warnings_of([&] { x.detach().grad(); }).empty());
  h.retain_grad();
  CHECK(warnings_of([&] { h.grad(); }).empty());
  const Tensor assigned = x * 2;
  assigned.set_grad(ones({2}));
  CHECK(warnings_of([&] { assigned.grad(); }).empty());
}

TEST_CASE("an assigned grad has its tensor's size and dtype") {
  const Tensor x = leaf_ones({3});
  CHECK(error_of([&] { x.set_grad(ones({2})); }) ==
        "RuntimeError: attempting to assign a gradient of size '[2]' to a tensor of size '[3]'. Please ensure that the gradient and "
        "the tensor are the same size");
  const std::string rest =
      "' to a tensor with grad_dtype 'Float'. The gradient must match the tensor's grad_dtype (defaults to the tensor's dtype). You "
      "can set the tensor's grad_dtype attribute with a specific dtype, or None to allow any dtype. Set grad_dtype with caution. "
      "Diverging the dtypes of a tensor and its gradient may break downstream systems that assume they match.";
  CHECK(error_of([&] { x.set_grad(ones({3}, {.dtype = DType::kFloat64})); }) ==
        "RuntimeError: attempting to assign a gradient with dtype 'double" + rest);
  CHECK(error_of([&] { x.set_grad(ones({3}, {.dtype = DType::kInt64})); }) ==
        "RuntimeError: attempting to assign a gradient with dtype 'long int" + rest);
  CHECK(error_of([&] { x.set_grad(x); }) == "RuntimeError: can't assign Variable as its own grad");
}

TEST_CASE("an assigned grad is the very tensor, and later gradients are added into it") {
  const Tensor x = leaf_ones({3});
  const Tensor g = ones({3});
  x.set_grad(g);
  CHECK(x.grad().is_same(g));
  (x * 2).sum().backward();
  CHECK(g.to_string() == "tensor([3., 3., 3.])");
  CHECK(g.version() == 1);
  x.set_grad({});
  CHECK_FALSE(x.grad().defined());
}

TEST_CASE("an expanded gradient is copied, though it has one element") {
  const Tensor x = leaf_ones({1});
  x.sum().backward();
  CHECK(x.grad().strides() == Shape{1});
  CHECK(x.grad().version() == 1);
  CHECK(grad({x.sum()}, {x})[0].strides() == Shape{0});
}

TEST_CASE("the gradient of an expanded 0-dim tensor is a sum, even over nothing") {
  const Tensor x = leaf_scalar(2);
  CHECK(name_of(grad({x.expand(Shape{}) * x}, {x}, {}, {.create_graph = true})[0]) == "AddBackward0");
  CHECK(name_of(grad({x.expand(Shape{}).exp()}, {x}, {}, {.create_graph = true})[0]) == "SumBackward0");
  x.expand(Shape{}).backward();
  CHECK(x.grad().version() == 0);
}

TEST_CASE("the gradient of a strided view without elements is written once") {
  const Tensor x = leaf_ones({2, 0});
  const Tensor view = x.t();
  {
    const NoGradGuard no_grad;
    view.tanh_();
  }
  CHECK(grad({view.sum()}, {x})[0].version() == 1);
}
