// Sections 3.5 to 3.7 of PyTorch's semantics: what becomes of a tensor that forward returns.
#include "tests/autograd/expect.h"

using namespace gradlab;
using namespace gradlab::test;

namespace {

struct PassesThrough : Function<PassesThrough> {
  static Tensor forward(Context&, const Tensor& x) { return x; }
  static Tensor backward(Context&, const Tensor& g) { return g * 5; }
};

struct D : Function<D> {
  static Tensor forward(Context& ctx, const Tensor& x) {
    x.mul_(2);
    ctx.mark_dirty(x);
    return x;
  }
  static Tensor backward(Context&, const Tensor& g) { return g * 2; }
};

struct DirtyWith : Function<DirtyWith> {
  static Tensor forward(Context& ctx, const Tensor& x, const Tensor& w) {
    x.mul_(w);
    ctx.mark_dirty(x);
    return x;
  }
  static TensorList backward(Context&, const TensorList& g) { return {g[0], g[0]}; }
};

struct DirtyAndAnother : Function<DirtyAndAnother> {
  static TensorList forward(Context& ctx, const Tensor& x) {
    x.mul_(2);
    ctx.mark_dirty(x);
    return {x, x * 3};
  }
  static TensorList backward(Context&, const TensorList& g) { return {g[0]}; }
};

struct DirtyNotReturned : Function<DirtyNotReturned> {
  static Tensor forward(Context& ctx, const Tensor& x) {
    x.mul_(2);
    ctx.mark_dirty(x);
    return x * 1;
  }
  static Tensor backward(Context&, const Tensor& g) { return g; }
};

struct MarksFresh : Function<MarksFresh> {
  static Tensor forward(Context& ctx, const Tensor& x) {
    const Tensor y = x * 2;
    ctx.mark_dirty(y);
    return y;
  }
  static Tensor backward(Context&, const Tensor& g) { return g * 2; }
};

struct SavesDirty : Function<SavesDirty> {
  static Tensor forward(Context& ctx, const Tensor& x) {
    ctx.save_for_backward(x);
    x.mul_(10);
    ctx.mark_dirty(x);
    return x;
  }
  static Tensor backward(Context& ctx, const Tensor& g) { return g * ctx.saved_tensors()[0]; }
};

struct M : Function<M> {
  static inline std::string seen;
  static TensorList forward(Context& ctx, const Tensor& x, bool materialize) {
    const Tensor k = x * 3;
    ctx.mark_non_differentiable(k);
    ctx.set_materialize_grads(materialize);
    return {x * 2, x.gt(zeros_like(x)), k, Tensor()};
  }
  static TensorList backward(Context&, const TensorList& g) {
    seen.clear();
    for (const Tensor& one : g) seen += (one.defined() ? one.to_string() : "None") + ";";
    return {g[0], {}};
  }
};

struct MarksAll : Function<MarksAll> {
  static Tensor forward(Context& ctx, const Tensor& x) {
    const Tensor y = x * 2;
    ctx.mark_non_differentiable(y);
    return y;
  }
  static Tensor backward(Context&, const Tensor& g) { return g; }
};

struct Twice : Function<Twice> {
  static inline std::string seen;
  static TensorList forward(Context&, const Tensor& x, bool fresh) {
    const Tensor y = fresh ? x * 2 : x;
    return {y, y};
  }
  static TensorList backward(Context&, const TensorList& g) {
    seen = g[0].to_string() + ";" + g[1].to_string();
    return {g[0] + g[1], {}};
  }
};

struct MakesSlice : Function<MakesSlice> {
  static Tensor forward(Context&, const Tensor& x) { return x.narrow(0, 0, 1); }
  static Tensor backward(Context&, const Tensor& g) { return g.expand({2}); }
};

struct RecordsInside : Function<RecordsInside> {
  static Tensor forward(Context&, const Tensor& x) {
    const EnableGradGuard enable_grad;
    return x * 2;
  }
  static Tensor backward(Context&, const Tensor& g) { return g * 7; }
};

}  // namespace

TEST_CASE("an input returned as it is becomes a view linked to the node") {
  const Tensor x = leaf_ones({2});
  const Tensor y = PassesThrough::apply(x);
  CHECK_FALSE(y.is_same(x));
  CHECK(y.data_ptr() == x.data_ptr());
  CHECK(y.is_view());
  CHECK(y.base().is_same(x));
  CHECK(name_of(y) == "PassesThroughBackward");
  y.sum().backward();
  CHECK(x.grad().to_string() == "tensor([5., 5.])");
}

TEST_CASE("without a graph an input returned as it is still becomes another tensor") {
  const Tensor x = ones({2});
  const Tensor y = PassesThrough::apply(x);
  CHECK_FALSE(y.is_same(x));
  CHECK(y.data_ptr() == x.data_ptr());
  CHECK_FALSE(y.requires_grad());
  const Tensor leaf_x = leaf_ones({2});
  const NoGradGuard no_grad;
  const Tensor z = PassesThrough::apply(leaf_x);
  CHECK_FALSE(z.is_same(leaf_x));
  CHECK_FALSE(z.requires_grad());
  CHECK(z.data_ptr() == leaf_x.data_ptr());
}

TEST_CASE("a dirtied input comes back as the same tensor with a new grad_fn") {
  const Tensor x = leaf_ones({2});
  const Tensor h = x * 1;
  const Ref<Node> before = h.grad_fn();
  const Tensor y = h * h;
  const Tensor r = D::apply(h);
  CHECK(r.is_same(h));
  CHECK(name_of(h) == "DBackward");
  CHECK(h.grad_fn()->next_edges()[0].function == before);
  CHECK(error_of([&] { y.sum().backward(); }) == version_error("[2]", ", which is output 0 of D,", 2, 0));
  r.sum().backward();
  CHECK(x.grad().to_string() == "tensor([2., 2.])");
}

TEST_CASE("a dirtied input comes back as the same tensor without a graph too") {
  const Tensor x = ones({2});
  CHECK(D::apply(x).is_same(x));
  CHECK(x.version() == 2);
}

TEST_CASE("dirtying a leaf that requires grad is an error after the fact") {
  const Tensor x = leaf_ones({2});
  CHECK(error_of([&] { D::apply(x); }) ==
        "RuntimeError: a leaf Variable that requires grad has been used in an in-place operation.");
  CHECK(x.to_string() == "tensor([2., 2.], requires_grad=True)");
  CHECK(x.version() == 2);
}

TEST_CASE("dirtying a view of a leaf that requires grad is an error too") {
  const Tensor x = leaf_ones({2});
  CHECK(error_of([&] { D::apply(x.narrow(0, 0, 1)); }) ==
        "RuntimeError: a view of a leaf Variable that requires grad is being used in an in-place operation.");
}

TEST_CASE("a dirtied input that did not require grad becomes a non-leaf if another argument requires it") {
  const Tensor plain = ones({2});
  const Tensor w = leaf({3, 3});
  const Tensor y = DirtyWith::apply(plain, w);
  CHECK(y.is_same(plain));
  CHECK(plain.requires_grad());
  CHECK_FALSE(plain.is_leaf());
  CHECK(name_of(plain) == "DirtyWithBackward");
}

TEST_CASE("a dirtied view rewrites its base") {
  const Tensor x = leaf_ones({4});
  const Tensor h = x * 1;
  const Tensor v = h.narrow(0, 0, 2);
  const Tensor y = D::apply(v);
  CHECK(y.is_same(v));
  CHECK(name_of(h) == "torch::autograd::CopySlices");
  CHECK(name_of(v) == "AsStridedBackward0");
  h.sum().backward();
  CHECK(x.grad().to_string() == "tensor([2., 2., 1., 1.])");
}

TEST_CASE("a dirtied view with a second output is an error") {
  const Tensor h = leaf_ones({4}) * 1;
  CHECK(error_of([&] { DirtyAndAnother::apply(h.narrow(0, 0, 2)); }) ==
        "RuntimeError: If your Function modifies inplace an input that is a view of another Tensor, your Function cannot return more "
        "than one Tensor. This is not supported by the current autograd engine. You should either make sure the input is not a view "
        "(using .clone() for example) or make your Function only return one Tensor (potentially splitting it into two Functions: one "
        "doing the inplace that returns a single Tensor and a second one that does the other operations). You can ask on the forum "
        "https://discuss.pytorch.org/ if you need help to do this change.");
  const TensorList fine = DirtyAndAnother::apply(h);
  CHECK(fine[0].is_same(h));
}

TEST_CASE("a dirtied input must be returned, also without a graph") {
  const std::string text =
      "RuntimeError: Some elements marked as dirty during the forward method were not returned as output. The inputs that are "
      "modified inplace must all be outputs of the Function.";
  CHECK(error_of([] { DirtyNotReturned::apply(leaf_ones({2}) * 1); }) == text);
  CHECK(error_of([] { DirtyNotReturned::apply(ones({2})); }) == text);
}

TEST_CASE("marking dirty what is no input warns") {
  const Tensor x = leaf_ones({2});
  const std::vector<std::string> warnings = warnings_of([&] { MarksFresh::apply(x).sum().backward(); });
  REQUIRE(warnings.size() == 1);
  CHECK(warnings[0] ==
        "UserWarning: ctx.mark_dirty() received a tensor that was not an input. Only input Tensors that have been mutated should be "
        "passed to ctx.mark_dirty().");
  CHECK(x.grad().to_string() == "tensor([2., 2.])");
}

TEST_CASE("a dirtied input that was saved is saved with its new value, undetected") {
  const Tensor x = leaf_ones({1});
  SavesDirty::apply(x * 3).sum().backward();
  CHECK(x.grad().to_string() == "tensor([90.])");
}

TEST_CASE("non-differentiable outputs have no grad_fn, and their gradients are materialised") {
  const Tensor x = leaf_ones({2});
  const TensorList y = M::apply(x, true);
  CHECK(y[0].requires_grad());
  CHECK_FALSE(y[1].requires_grad());
  CHECK_FALSE(y[2].requires_grad());
  CHECK_FALSE(y[2].grad_fn());
  CHECK_FALSE(y[3].defined());
  y[0].sum().backward();
  CHECK(M::seen == "tensor([1., 1.]);tensor([False, False]);tensor([0., 0.]);None;");
}

TEST_CASE("set_materialize_grads(false) leaves them undefined") {
  M::apply(leaf_ones({2}), false)[0].sum().backward();
  CHECK(M::seen == "tensor([1., 1.]);None;None;None;");
}

TEST_CASE("marking every output non-differentiable makes a dead end") {
  const Tensor y = MarksAll::apply(leaf_ones({1}));
  CHECK(error_of([&] { y.backward(); }) == kNoGradFn);
}

TEST_CASE("a fresh tensor returned twice is one tensor with the last index") {
  const Tensor x = leaf_ones({1});
  const TensorList y = Twice::apply(x, true);
  CHECK(y[0].is_same(y[1]));
  CHECK(y[0].output_nr() == 1);
  y[0].sum().backward();
  CHECK(Twice::seen == "tensor([0.]);tensor([1.])");
}

TEST_CASE("an input returned twice gives two views") {
  const Tensor x = leaf_ones({1});
  const TensorList y = Twice::apply(x, false);
  CHECK_FALSE(y[0].is_same(y[1]));
  CHECK(y[0].output_nr() == 0);
  CHECK(y[1].output_nr() == 1);
  (y[0] * 2 + y[1] * 3).sum().backward();
  CHECK(Twice::seen == "tensor([2.]);tensor([3.])");
  CHECK(x.grad().to_string() == "tensor([5.])");
}

TEST_CASE("a view made inside forward is flagged") {
  const Tensor y = MakesSlice::apply(leaf_ones({2}));
  CHECK(y.is_view());
  CHECK(error_of([&] { y.add_(1); }) ==
        "RuntimeError: Output 0 of MakesSlice is a view and is being modified inplace. This view was created inside a custom Function "
        "(or because an input was returned as-is) and the autograd logic to handle view+inplace would override the custom backward "
        "associated with the custom Function, leading to incorrect gradients. This behavior is forbidden. You can fix this by cloning "
        "the output of the custom Function.");
}

TEST_CASE("what forward recorded itself is re-pointed at the node") {
  const Tensor x = leaf_ones({1});
  const Tensor y = RecordsInside::apply(x);
  CHECK(name_of(y) == "RecordsInsideBackward");
  y.backward();
  CHECK(x.grad().to_string() == "tensor([7.])");
}

TEST_CASE("what forward recorded itself is detached when no graph is built") {
  const Tensor x = leaf_ones({1});
  const NoGradGuard no_grad;
  const Tensor y = RecordsInside::apply(x);
  CHECK_FALSE(y.requires_grad());
  CHECK_FALSE(y.grad_fn());
}
