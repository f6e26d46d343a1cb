// Sections 5.2 to 5.4 of PyTorch's semantics: views and in-place writes together.
#include "src/autograd/view.h"

#include "tests/autograd/expect.h"

using namespace gradlab;
using namespace gradlab::test;

namespace {

constexpr const char* kWritten = "is being";
constexpr const char* kBaseWritten = "its base or another view of its base has been";

std::string no_grad_view(const std::string& modified, const std::string& of = "") {
  return "RuntimeError: " + (of.empty() ? "A view was created in" : "Output 0 of " + of + " is a view of a view which was created in") +
         " no_grad mode and " + modified +
         " modified inplace with grad mode enabled. Given that this use case is ambiguous and error-prone, it is forbidden. You can "
         "clarify your code by moving both the view and the inplace either both inside the no_grad block (if you don't want the "
         "inplace to be tracked) or both outside (if you want the inplace to be tracked).";
}

std::string custom_view(const std::string& node, const std::string& modified) {
  return "RuntimeError: Output 0 of " + node + " is a view and " + modified +
         " modified inplace. This view was created inside a custom Function (or because an input was returned as-is) and the "
         "autograd logic to handle view+inplace would override the custom backward associated with the custom Function, leading to "
         "incorrect gradients. This behavior is forbidden. You can fix this by cloning the output of the custom Function.";
}

struct I : Function<I> {
  static Tensor forward(Context&, const Tensor& x) { return x; }
  static Tensor backward(Context&, const Tensor& g) { return g; }
};

struct Halves : Function<Halves> {
  static TensorList forward(Context&, const Tensor& x) { return {x.narrow(0, 0, 1), x.narrow(0, 1, 1)}; }
  static TensorList backward(Context&, const TensorList& g) {
    const Tensor whole = zeros({2});
    whole.narrow(0, 0, 1).copy_(g[0]);
    whole.narrow(0, 1, 1).copy_(g[1]);
    return {whole};
  }
};

struct ReturnsDetached : Function<ReturnsDetached> {
  static Tensor forward(Context&, const Tensor& x) { return x.detach(); }
  static Tensor backward(Context&, const Tensor& g) { return g; }
};

}  // namespace

TEST_CASE("writing a view gives its base CopySlices and itself AsStrided") {
  const Tensor x = leaf_ones({4});
  const Tensor h = x * 2;
  const Ref<Node> before = h.grad_fn();
  const Tensor v = h.narrow(0, 0, 2);
  const Tensor other = h.narrow(0, 1, 2);
  v.mul_(3);
  CHECK(name_of(h) == "torch::autograd::CopySlices");
  CHECK(h.grad_fn()->next_edges()[0].function == before);
  CHECK(name_of(v) == "AsStridedBackward0");
  CHECK(v.grad_fn()->next_edges()[0].function == h.grad_fn());
  CHECK(name_of(other) == "AsStridedBackward0");
  h.sum().backward();
  CHECK(x.grad().to_string() == "tensor([6., 6., 2., 2.])");
}

TEST_CASE("gradients flow through a view whose base was written, and through a base whose view was") {
  const Tensor x = leaf_ones({4});
  const Tensor h = x * 2;
  const Tensor v = h.narrow(0, 0, 2);
  h.mul_(3);
  v.sum().backward({}, {.retain_graph = true});
  CHECK(x.grad().to_string() == "tensor([6., 6., 0., 0.])");
  x.set_grad({});
  v.mul_(5);
  (h + v.sum()).sum().backward();
  CHECK(x.grad().to_string() == "tensor([150., 150.,   6.,   6.])");
}

TEST_CASE("an operand's gradient passes CopySlices") {
  const Tensor x = leaf_ones({4});
  const Tensor w = leaf({2, 3});
  const Tensor h = x * 2;
  h.narrow(0, 1, 2).mul_(w);
  CHECK(h.grad_fn()->next_edges().size() == 2);
  h.sum().backward();
  CHECK(x.grad().to_string() == "tensor([2., 4., 6., 2.])");
  CHECK(w.grad().to_string() == "tensor([2., 2.])");
}

TEST_CASE("an index assignment cuts the history of what it writes") {
  const Tensor x = leaf_ones({3});
  const Tensor h = x * 2;
  h[1] = 5;
  CHECK(h.to_string() == "tensor([2., 5., 2.], grad_fn=<CopySlices>)");
  h.sum().backward();
  CHECK(x.grad().to_string() == "tensor([2., 0., 2.])");
}

TEST_CASE("a write into a view of a plain tensor gives the base a history") {
  const Tensor x = leaf_ones({2});
  const Tensor z = zeros({4});
  z.narrow(0, 0, 2).copy_(x);
  CHECK(name_of(z) == "torch::autograd::CopySlices");
  CHECK_FALSE(z.grad_fn()->next_edges()[0].is_valid());
  (z * z).sum().backward();
  CHECK(x.grad().to_string() == "tensor([2., 2.])");
}

TEST_CASE("a view of a view has the first base") {
  const Tensor h = leaf_ones({2, 2}) * 1;
  const Tensor v = h[0].narrow(0, 0, 1);
  CHECK(v.base().is_same(h));
  v.mul_(7);
  CHECK(name_of(h) == "torch::autograd::CopySlices");
  CHECK(h.to_string() == "tensor([[7., 1.],\n        [1., 1.]], grad_fn=<CopySlices>)");
}

TEST_CASE("a write under no_grad regenerates views' nodes too") {
  const Tensor h = leaf_ones({2}) * 1;
  const Tensor v = h.narrow(0, 0, 1);
  CHECK(name_of(v) == "SliceBackward0");
  {
    const NoGradGuard no_grad;
    h.add_(1);
  }
  CHECK(name_of(v) == "AsStridedBackward0");
}

TEST_CASE("a view that is older than its base's requires_grad ends gradients silently until a write") {
  const Tensor z = ones({4});
  const Tensor v = z.narrow(0, 0, 2);
  z.requires_grad_();
  CHECK(v.requires_grad());
  CHECK_FALSE(v.grad_fn());
  (v * 2).sum().backward();
  CHECK_FALSE(z.grad().defined());
}

TEST_CASE("a view made under no_grad requires grad without a node, and may not be written") {
  const Tensor x = leaf_ones({4});
  const Tensor h = x * 1;
  for (const Tensor& base : {x, h}) {
    Tensor v;
    {
      const NoGradGuard no_grad;
      v = base.narrow(0, 0, 2);
    }
    CHECK(v.requires_grad());
    CHECK_FALSE(v.grad_fn());
    CHECK(error_of([&] { v.add_(1); }) == no_grad_view(kWritten));
    const Tensor w = v.narrow(0, 0, 1);
    CHECK(name_of(w) == "SliceBackward0");
    CHECK(error_of([&] { w.add_(1); }) == no_grad_view(kWritten, "Slice"));
  }
}

TEST_CASE("a no_grad view whose base was written cannot be used any more, but printed and detached") {
  const Tensor h = leaf_ones({4}) * 1;
  Tensor v;
  {
    const NoGradGuard no_grad;
    v = h.narrow(0, 0, 2);
  }
  const Tensor w = v.narrow(0, 0, 1);
  h.add_(1);
  CHECK(error_of([&] { v * 2; }) == no_grad_view(kBaseWritten));
  CHECK(error_of([&] { v.grad_fn(); }) == no_grad_view(kBaseWritten));
  CHECK(error_of([&] { w * 2; }) == no_grad_view(kBaseWritten, "Slice"));
  CHECK(v.to_string() == "tensor([2., 2.], grad_fn=<Invalid>)");
  CHECK(v.detach().to_string() == "tensor([2., 2.])");
}

TEST_CASE("a no_grad view of a plain tensor may be written, but not with something that requires grad") {
  const Tensor x = leaf_ones({2});
  const Tensor z = ones({2, 2});
  Tensor v;
  {
    const NoGradGuard no_grad;
    v = z[0];
  }
  CHECK(error_of([&] { v.add_(1); }) == "no error");
  CHECK(error_of([&] { v.add_(x); }) == no_grad_view(kWritten));
}

TEST_CASE("gradients through a no_grad view end silently") {
  const Tensor x = leaf_ones({4});
  Tensor v;
  {
    const NoGradGuard no_grad;
    v = x.narrow(0, 0, 2);
  }
  const Tensor y = v * 3;
  CHECK_FALSE(y.grad_fn()->next_edges()[0].is_valid());
  y.sum().backward();
  CHECK_FALSE(x.grad().defined());
}

TEST_CASE("an input returned as it is may not be written, nor used after its base was") {
  const Tensor x = leaf_ones({2});
  CHECK(error_of([&] { I::apply(x).add_(1); }) == custom_view("I", kWritten));
  const Tensor h = x * 1;
  const Tensor y = I::apply(h);
  const Tensor v = y.narrow(0, 0, 1);
  CHECK(error_of([&] { v.add_(1); }) == custom_view("Slice", kWritten));
  {
    const NoGradGuard no_grad;
    y.add_(1);
  }
  CHECK(error_of([&] { y * 2; }) == custom_view("I", kBaseWritten));
  CHECK(error_of([&] { v * 2; }) == custom_view("Slice", kBaseWritten));
  CHECK(error_of([&] { h * 2; }) == "no error");
}

TEST_CASE("several views from one custom Function say so") {
  const TensorList y = Halves::apply(leaf_ones({2}));
  CHECK(error_of([&] { y[1].add_(1); }) ==
        "RuntimeError: Output 1 of Halves is a view and is being modified inplace. This view is the output of a function that "
        "returns multiple views. Such functions do not allow the output views to be modified inplace. You should replace the "
        "inplace operation by an out-of-place one.");
}

TEST_CASE("a detached input that forward returns is not flagged") {
  const Tensor x = leaf_ones({2});
  const Tensor y = ReturnsDetached::apply(x * 1);
  CHECK(error_of([&] { y.add_(1); }) == "no error");
}

TEST_CASE("is_view and base") {
  const Tensor x = ones({4});
  CHECK_FALSE(x.is_view());
  CHECK_FALSE(x.base().defined());
  CHECK(x.narrow(0, 0, 2).is_view());
  CHECK(x.view({2, 2}).t().base().is_same(x));
  CHECK_FALSE(x.detach().is_view());
  CHECK_FALSE(x.data().is_view());
}
