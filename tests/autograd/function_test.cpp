// Sections 3.1 to 3.4 of PyTorch's semantics: what apply does, names, and calling forward directly.
#include "src/autograd/function.h"

#include "src/autograd/custom_node.h"
#include "tests/autograd/expect.h"

using namespace gradlab;
using namespace gradlab::test;

namespace {

struct Notes : Function<Notes> {
  static inline std::string seen;
  static Tensor forward(Context& ctx, const Tensor& x, const Tensor&, int, const Tensor&) {
    seen.clear();
    for (std::size_t i = 0; i < 4; ++i) seen += ctx.needs_input_grad(i) ? "T" : "F";
    seen += GradMode::is_enabled() ? " on" : " off";
    return x * 1;
  }
  static TensorList backward(Context&, const TensorList& g) {
    seen += GradMode::is_enabled() ? " on" : " off";
    return {g[0], {}, {}, {}};
  }
};

struct SafeSquare : Function<SafeSquare> {
  static Tensor forward(Context& ctx, const Tensor& x) {
    ctx.save_for_backward(x);
    return x * x;
  }
  static Tensor backward(Context& ctx, const Tensor& g) { return g * 2 * ctx.saved_tensors()[0]; }
};

struct FooBackward : Function<FooBackward> {
  static Tensor forward(Context&, const Tensor& x) { return x * 1; }
  static Tensor backward(Context&, const Tensor& g) { return g; }
};

struct Remembers : Function<Remembers> {
  static Tensor forward(Context& ctx, const Tensor& x, const std::string& tag) {
    ctx.saved_data["x"] = x;
    ctx.saved_data["factor"] = 3.0;
    ctx.saved_data["tag"] = tag;
    return x * 3;
  }
  static TensorList backward(Context& ctx, const TensorList& g) {
    CHECK(ctx.saved_data["tag"].to_text() == "hello");
    return {g[0] * ctx.saved_data["factor"].to_double(), {}};
  }
};

struct KeepsOutputOnCtx : Function<KeepsOutputOnCtx> {
  static Tensor forward(Context& ctx, const Tensor& x) {
    const Tensor y = x.exp();
    ctx.saved_data["y"] = y;
    return y;
  }
  static Tensor backward(Context& ctx, const Tensor& g) { return g * ctx.saved_data["y"].to_tensor(); }
};

struct WritesThroughAKernel : Function<WritesThroughAKernel> {
  static Tensor forward(Context&, const Tensor& x) {
    const Tensor y = empty_like(x);
    for (std::int64_t i = 0; i < x.numel(); ++i) y.data_ptr<float>()[i] = 2 * x.data_ptr<float>()[i];
    return y;
  }
  static Tensor backward(Context&, const Tensor& g) { return g * 2; }
};

struct Throws : Function<Throws> {
  static Tensor forward(Context&, const Tensor& x, bool in_forward) {
    if (in_forward) throw Error(ErrorType::kValueError, "from forward");
    return x * 1;
  }
  static TensorList backward(Context&, const TensorList&) { throw Error(ErrorType::kTypeError, "from backward"); }
};

}  // namespace

TEST_CASE("needs_input_grad is true for tensors that require grad, and forward runs with grad mode off") {
  const Tensor x = leaf_ones({2});
  const Tensor y = Notes::apply(x, ones({2}), 3, x * 2);
  CHECK(Notes::seen == "TFFT off");
  y.sum().backward();
  CHECK(Notes::seen == "TFFT off off");
}

TEST_CASE("needs_input_grad does not depend on grad mode or on what grad() asks for") {
  const Tensor x = leaf_ones({2});
  const Tensor w = leaf_ones({2});
  {
    const NoGradGuard no_grad;
    Notes::apply(x, w, 3, ones({2}));
    CHECK(Notes::seen == "TTFF off");
  }
  const Tensor y = Notes::apply(x, w, 3, ones({2}));
  grad({y.sum()}, {x});
  CHECK(Notes::seen == "TTFF off off");
}

TEST_CASE("backward runs with grad mode on exactly when create_graph is set") {
  const Tensor x = leaf_ones({2});
  const Tensor y = Notes::apply(x, ones({2}), 3, ones({2}));
  grad({y.sum()}, {x}, {}, {.create_graph = true});
  CHECK(Notes::seen == "TFFF off on");
  CHECK(GradMode::is_enabled());
}

TEST_CASE("there is one edge for each tensor argument") {
  const Tensor x = leaf_ones({2});
  const Tensor h = x * 2;
  const EdgeList edges = Notes::apply(x, ones({2}), 3, h).grad_fn()->next_edges();
  CHECK(edges.size() == 3);
  CHECK(edges[0].function->name() == "torch::autograd::AccumulateGrad");
  CHECK_FALSE(edges[1].is_valid());
  CHECK(edges[2].function == h.grad_fn());
}

TEST_CASE("a built-in op has an edge for each input, numbers included") {
  const Tensor x = leaf_ones({2});
  const EdgeList edges = (x * 2).grad_fn()->next_edges();
  CHECK(edges.size() == 2);
  CHECK(edges[0].function->class_name() == "AccumulateGrad");
  CHECK_FALSE(edges[1].is_valid());
}

TEST_CASE("no graph is built without a tensor that requires grad") {
  const Tensor y = SafeSquare::apply(ones({2}));
  CHECK_FALSE(y.requires_grad());
  CHECK_FALSE(y.grad_fn());
  CHECK(y.is_leaf());
}

TEST_CASE("a node is named after its class, Backward always appended") {
  const Tensor x = leaf({3});
  const Tensor y = SafeSquare::apply(x);
  CHECK(y.to_string() == "tensor([9.], grad_fn=<SafeSquareBackward>)");
  CHECK(y.sum().to_string() == "tensor(9., grad_fn=<SumBackward0>)");
  CHECK(y.grad_fn()->name() == "SafeSquareBackward");
  CHECK(y.grad_fn()->to_string() == "<torch.autograd.function.SafeSquareBackward object at ...>");
  CHECK(y.grad_fn()->to_string(true).starts_with("<torch.autograd.function.SafeSquareBackward object at 0x"));
  CHECK(FooBackward::apply(x).grad_fn()->name() == "FooBackwardBackward");
}

TEST_CASE("built-in nodes have their class's name and, where PyTorch has one, a scope") {
  const Tensor x = leaf({3});
  CHECK((x * 2).grad_fn()->to_string() == "<MulBackward0 object at ...>");
  const Ref<Node> accumulator = grad_accumulator(x);
  CHECK(accumulator->name() == "torch::autograd::AccumulateGrad");
  CHECK(accumulator->to_string() == "<AccumulateGrad object at ...>");
  const Tensor h = x * 1;
  h[0] = 2;
  CHECK(h.grad_fn()->name() == "torch::autograd::CopySlices");
  CHECK(h.grad_fn()->to_string() == "<CopySlices object at ...>");
  CHECK(h.to_string() == "tensor([2.], grad_fn=<CopySlices>)");
}

TEST_CASE("every op's node has PyTorch's name") {
  const Tensor x = leaf_ones({2, 2});
  const Tensor v = leaf_ones({2});
  const auto named = [](const Tensor& result, const char* name) { CHECK(name_of(result) == name); };
  named(x + 1, "AddBackward0");
  named(x - 1, "SubBackward0");
  named(ones({2, 2}) - x, "SubBackward0");
  named(1 - x, "RsubBackward1");
  named(x * x, "MulBackward0");
  named(x / 2, "DivBackward0");
  named(1 / x, "MulBackward0");
  named(-x, "NegBackward0");
  named(x.pow(2), "PowBackward0");
  named(x.exp(), "ExpBackward0");
  named(x.log(), "LogBackward0");
  named(x.sqrt(), "SqrtBackward0");
  named(x.tanh(), "TanhBackward0");
  named(x.sigmoid(), "SigmoidBackward0");
  named(x.relu(), "ReluBackward0");
  named(x.gelu(), "GeluBackward0");
  named(x.erf(), "ErfBackward0");
  named(x.abs(), "AbsBackward0");
  named(x.sign(), "SignBackward0");
  named(x.reciprocal(), "ReciprocalBackward0");
  named(x.sum(), "SumBackward0");
  named(x.sum({0}), "SumBackward1");
  named(x.mean(), "MeanBackward0");
  named(x.max(), "MaxBackward1");
  named(x.min(), "MinBackward1");
  named(x.maximum(x), "MaximumBackward0");
  named(x.minimum(x), "MinimumBackward0");
  named(x.clamp(0, 1), "ClampBackward1");
  named(where(x.gt(x), x, x), "WhereBackward0");
  named(x.matmul(x), "MmBackward0");
  named(x.matmul(v), "MvBackward0");
  named(v.matmul(v), "DotBackward0");
  named(v.matmul(x), "SqueezeBackward4");
  named(x.clone(), "CloneBackward0");
  named(x.to(DType::kFloat64), "ToCopyBackward0");
  named(x.view({4}), "ViewBackward0");
  named(x.reshape({4}), "ViewBackward0");
  named(x.t().reshape({4}), "UnsafeViewBackward0");
  named(x[0], "SelectBackward0");
  named(x.narrow(0, 0, 1), "SliceBackward0");
  named(x.t(), "TBackward0");
  named(x.unsqueeze(0), "UnsqueezeBackward0");
  named(x.unsqueeze(0).squeeze(0), "SqueezeBackward1");
  named(x.expand({2, 2, 2}), "ExpandBackward0");
  named(x.as_strided({2}, {1}, 0), "AsStridedBackward0");
  named((x * 1).zero_(), "ZeroBackward0");
  named((x * 1).fill_(2), "FillBackward2");
  named((x * 1).fill_(scalar_tensor(2)), "FillBackward3");
  named((x * 1).copy_(x), "torch::autograd::CopyBackwards");
}

TEST_CASE("grad_fn is one object, and it is the ctx that backward receives") {
  const Tensor y = Remembers::apply(leaf({1}), std::string("hello"));
  CHECK(y.grad_fn() == y.grad_fn());
  auto& node = static_cast<CustomNode&>(*y.grad_fn());
  CHECK(node.ctx().saved_data["tag"].to_text() == "hello");
  CHECK(node.ctx().saved_data["factor"].to_double() == 3.0);
}

TEST_CASE("ctx attributes are neither freed nor version-checked") {
  const Tensor x = leaf({1});
  const Tensor y = Remembers::apply(x, std::string("hello")).sum();
  y.backward();
  y.backward();
  CHECK(x.grad().to_string() == "tensor([6.])");
}

TEST_CASE("a ctx attribute of another type, or none, says so") {
  const Tensor y = Remembers::apply(leaf({1}), std::string("hello"));
  auto& data = static_cast<CustomNode&>(*y.grad_fn()).ctx().saved_data;
  CHECK(error_of([&] { data["tag"].to_double(); }) ==
        "RuntimeError: this ctx attribute holds no number: store one in forward before reading it in backward");
  CHECK(error_of([&] { data["missing"].to_tensor(); }) ==
        "RuntimeError: this ctx attribute holds no Tensor: store one in forward before reading it in backward");
}

TEST_CASE("an output kept as a ctx attribute comes back as the same tensor, and leaks nothing") {
  const Tensor x = leaf_scalar(0);
  Tensor y = KeepsOutputOnCtx::apply(x);
  auto& node = static_cast<CustomNode&>(*y.grad_fn());
  CHECK(node.ctx().saved_data["y"].to_tensor().is_same(y));
  y.backward();
  CHECK(x.grad().item() == 1);
  const WeakRef<Node> weak(y.grad_fn());
  y = Tensor();
  CHECK(weak.expired());
}

TEST_CASE("forward called directly bypasses the Function: ordinary autograd records it") {
  const Tensor x = leaf({3});
  Context ctx;
  CHECK(SafeSquare::forward(ctx, x).to_string() == "tensor([9.], grad_fn=<MulBackward0>)");
}

TEST_CASE("forward called directly on a raw kernel gives a dead end") {
  const Tensor x = leaf({3});
  Context ctx;
  const Tensor y = WritesThroughAKernel::forward(ctx, x);
  CHECK(y.to_string() == "tensor([6.])");
  CHECK_FALSE(y.requires_grad());
  CHECK(error_of([&] { y.backward(); }) == kNoGradFn);
  const Tensor z = WritesThroughAKernel::apply(x);
  CHECK(z.to_string() == "tensor([6.], grad_fn=<WritesThroughAKernelBackward>)");
  z.backward();
  CHECK(x.grad().to_string() == "tensor([2.])");
}

TEST_CASE("an exception of forward or backward goes on unchanged, and grad mode is restored") {
  const Tensor x = leaf({1});
  CHECK(error_of([&] { Throws::apply(x, true); }) == "ValueError: from forward");
  CHECK(GradMode::is_enabled());
  const Tensor y = Throws::apply(x, false);
  CHECK(error_of([&] { y.backward(); }) == "TypeError: from backward");
  CHECK(GradMode::is_enabled());
}

TEST_CASE("apply always takes a sequence number, before forward runs; an op takes one only when recorded") {
  const Tensor x = leaf({1});
  const auto next = [&] { return (x + 1).grad_fn()->sequence_nr(); };
  const std::uint64_t start = next();
  CHECK(next() == start + 1);
  {
    const NoGradGuard no_grad;
    x + 1;
  }
  CHECK(next() == start + 2);
  {
    const NoGradGuard no_grad;
    SafeSquare::apply(x);
  }
  CHECK(next() == start + 4);
  CHECK(SafeSquare::apply(x).grad_fn()->sequence_nr() == start + 5);
  CHECK(grad_accumulator(x)->sequence_nr() == ~std::uint64_t{0});
}

TEST_CASE("a Function made at run time behaves like one made from a class") {
  const RuntimeFunction square{"Square",
                               [](Context& ctx, const TensorList& arguments) {
                                 ctx.save_for_backward(arguments[0]);
                                 return TensorList{arguments[0] * arguments[0]};
                               },
                               [](Context& ctx, const TensorList& g) { return TensorList{g[0] * 2 * ctx.saved_tensors()[0]}; }};
  const Tensor x = leaf({3});
  const Tensor y = square.apply({x})[0];
  CHECK(y.to_string() == "tensor([9.], grad_fn=<SquareBackward>)");
  y.backward();
  CHECK(x.grad().to_string() == "tensor([6.])");
}
