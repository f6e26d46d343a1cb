// Section 2 of PyTorch's semantics: when a version is recorded, when it is checked, and what the error says.
#include "src/autograd/saved_tensor.h"

#include "src/autograd/anomaly.h"
#include "src/autograd/custom_node.h"
#include "tests/autograd/expect.h"

using namespace gradlab;
using namespace gradlab::test;

namespace {

// What Python's y.grad_fn.saved_tensors reads.
TensorList saved_tensors_of(const Tensor& y) { return static_cast<CustomNode&>(*y.grad_fn()).ctx().saved_tensors(); }

struct SavesThenWrites : Function<SavesThenWrites> {
  static Tensor forward(Context& ctx, const Tensor& x) {
    ctx.save_for_backward(x);
    const Tensor y = x * x;
    x.mul_(10);
    return y;
  }
  static Tensor backward(Context& ctx, const Tensor& g) { return g * 2 * ctx.saved_tensors()[0]; }
};

struct NeverReads : Function<NeverReads> {
  static Tensor forward(Context& ctx, const Tensor& x) {
    ctx.save_for_backward(x);
    return x * 2;
  }
  static Tensor backward(Context&, const Tensor& g) { return g * 2; }
};

struct SavesInputAndOutput : Function<SavesInputAndOutput> {
  static Tensor forward(Context& ctx, const Tensor& x) {
    const Tensor y = x.exp();
    ctx.save_for_backward(x, y);
    CHECK(ctx.saved_tensors().empty());
    return y;
  }
  static Tensor backward(Context& ctx, const Tensor& g) { return g * ctx.saved_tensors()[1]; }
};

struct SavesIntermediate : Function<SavesIntermediate> {
  static Tensor forward(Context& ctx, const Tensor& x) {
    const Tensor twice = x * 2;
    ctx.saved_data["twice"] = twice;
    ctx.save_for_backward(twice);
    return twice * x;
  }
  static Tensor backward(Context& ctx, const Tensor& g) { return g * 2 * ctx.saved_tensors()[0]; }
};

struct SavesNone : Function<SavesNone> {
  static Tensor forward(Context& ctx, const Tensor& x) {
    ctx.save_for_backward(Tensor(), x);
    ctx.save_for_backward(x, Tensor());  // replaces the first
    return x * 1;
  }
  static Tensor backward(Context& ctx, const Tensor& g) {
    const TensorList saved = ctx.saved_tensors();
    CHECK(saved.size() == 2);
    CHECK(saved[0].defined());
    CHECK_FALSE(saved[1].defined());
    return g;
  }
};

struct TwoOutputs : Function<TwoOutputs> {
  static TensorList forward(Context& ctx, const Tensor& x) {
    const TensorList y{x * 2, x * 3};
    ctx.save_for_backward(y[0], y[1]);
    return y;
  }
  static TensorList backward(Context& ctx, const TensorList& g) {
    ctx.saved_tensors();
    return {g[0]};
  }
};

}  // namespace

TEST_CASE("a custom Function's tensors are recorded when forward has returned") {
  const Tensor x = leaf({3});
  SavesThenWrites::apply(x).sum().backward();
  CHECK(x.grad().to_string() == "tensor([60.])");  // the true gradient is 6, and nothing noticed
  CHECK(x.version() == 1);
}

TEST_CASE("a write between forward and backward is an error") {
  const Tensor x = leaf({3});
  const Tensor y = Sq::apply(x);
  {
    const NoGradGuard no_grad;
    x.mul_(10);
  }
  CHECK(error_of([&] { y.backward(); }) == version_error("[1]", "", 1, 0));
  CHECK_FALSE(x.grad().defined());
}

TEST_CASE("reading saved_tensors from outside checks too") {
  const Tensor x = leaf_ones({2});
  const Tensor y = Sq::apply(x);
  CHECK(saved_tensors_of(y)[0].is_same(x));
  const NoGradGuard no_grad;
  x.add_(1);
  CHECK(error_of([&] { saved_tensors_of(y); }) == version_error("[2]", "", 1, 0));
}

TEST_CASE("a backward that never reads saved_tensors is never checked") {
  const Tensor x = leaf_ones({2});
  const Tensor y = NeverReads::apply(x);
  {
    const NoGradGuard no_grad;
    x.add_(1);
  }
  CHECK(error_of([&] { y.sum().backward(); }) == "no error");
}

TEST_CASE("nothing is saved when no graph is built") {
  const Tensor x = leaf_ones({2});
  const NoGradGuard no_grad;
  const Tensor y = Sq::apply(x);
  CHECK_FALSE(y.requires_grad());
  CHECK_FALSE(y.grad_fn());
}

TEST_CASE("the version error of a saved leaf names no node") {
  const Tensor s = leaf({3});
  const Tensor y = s * s;
  const NoGradGuard no_grad;
  s.mul_(10);
  CHECK(error_of([&] { y.backward(); }) == version_error("[1]", "", 1, 0));
}

TEST_CASE("the version error of an intermediate names the node it has now") {
  const Tensor x = leaf_ones({3, 4});
  Tensor h = x * 2;
  Tensor y = h * h;
  h.add_(1);
  CHECK(error_of([&] { y.sum().backward(); }) == version_error("[3, 4]", ", which is output 0 of Add,", 1, 0));
  h = x * 2;
  y = h * h;
  {
    const NoGradGuard no_grad;
    h.add_(1);
  }
  CHECK(error_of([&] { y.sum().backward(); }) == version_error("[3, 4]", ", which is output 0 of Mul,", 1, 0));
}

TEST_CASE("the version error of a saved result names the node that saved it") {
  const Tensor x = leaf_ones({3, 4});
  const Tensor y = x.exp();
  y.mul_(2);
  CHECK(error_of([&] { y.sum().backward(); }) == version_error("[3, 4]", ", which is output 0 of Exp,", 1, 0));
}

TEST_CASE("the version error of a custom Function's saved output has its true index") {
  const Tensor x = leaf_ones({2});
  const TensorList y = TwoOutputs::apply(x);
  {
    const NoGradGuard no_grad;
    y[1].add_(1);
  }
  CHECK(error_of([&] { y[0].sum().backward(); }) == version_error("[2]", ", which is output 1 of TwoOutputs,", 1, 0));
}

TEST_CASE("the version error names AsStrided for a view and CopySlices for its base") {
  const Tensor x = leaf_ones({4});
  Tensor h = x * 1;
  Tensor v = h.narrow(0, 0, 2);
  Tensor y = v * v;
  h.narrow(0, 2, 2).add_(1);  // another part: one counter per memory
  CHECK(error_of([&] { y.sum().backward(); }) == version_error("[2]", ", which is output 0 of AsStrided,", 1, 0));
  h = x * 1;
  y = h * h;
  h.narrow(0, 0, 2).add_(1);
  CHECK(error_of([&] { y.sum().backward(); }) ==
        version_error("[4]", ", which is output 0 of torch::autograd::CopySlices,", 1, 0));
}

TEST_CASE("the version error names the dtype, the shape and no node for a scalar and an empty tensor") {
  const std::string hint =
      " is at version 1; expected version 0 instead. Hint: enable anomaly detection to find the operation that failed to compute "
      "its gradient, with torch.autograd.set_detect_anomaly(True, check_nan=False).";
  const std::string start =
      "RuntimeError: one of the variables needed for gradient computation has been modified by an inplace operation: ";
  const Tensor owner = leaf_ones({1}) * 1;
  const auto error_for = [&](const Tensor& x) {
    const SavedTensor saved(*owner.grad_fn(), x, false);
    x.zero_();
    return error_of([&] { saved.unpack(); });
  };
  CHECK(error_for(scalar_tensor(1.0)) == start + "[torch.FloatTensor []]" + hint);
  CHECK(error_for(zeros({0})) == start + "[torch.FloatTensor [0]]" + hint);
  CHECK(error_for(ones({2, 1}, {.dtype = DType::kFloat64})) == start + "[torch.DoubleTensor [2, 1]]" + hint);
  CHECK(error_for(ones({2}, {.dtype = DType::kInt64})) == start + "[torch.LongTensor [2]]" + hint);
  CHECK(error_for(ones({2}, {.dtype = DType::kInt32})) == start + "[torch.IntTensor [2]]" + hint);
  CHECK(error_for(ones({2}, {.dtype = DType::kBool})) == start + "[CPUBoolType [2]]" + hint);
}

TEST_CASE("with anomaly mode on the version error gives the other hint") {
  const Tensor x = leaf({3});
  const Tensor y = x * x;
  {
    const NoGradGuard no_grad;
    x.mul_(2);
  }
  const AnomalyGuard anomaly(true, false);
  CHECK(error_of([&] { y.backward(); }) ==
        "RuntimeError: one of the variables needed for gradient computation has been modified by an inplace operation: "
        "[torch.FloatTensor [1]] is at version 1; expected version 0 instead. Hint: the backtrace further above shows the "
        "operation that failed to compute its gradient. The variable in question was changed in there or anywhere later. Good "
        "luck!");
}

TEST_CASE("a saved input is the very tensor, a saved output another one linked to the node") {
  const Tensor x = leaf_ones({2});
  const Tensor y = SavesInputAndOutput::apply(x);
  const TensorList saved = saved_tensors_of(y);
  CHECK(saved[0].is_same(x));
  CHECK_FALSE(saved[1].is_same(y));
  CHECK(saved[1].data_ptr() == y.data_ptr());
  CHECK(saved[1].grad_fn() == y.grad_fn());
  CHECK(saved[1].output_nr() == 0);
}

TEST_CASE("a saved output makes no cycle: node and output die with the last handle") {
  Tensor y = SavesInputAndOutput::apply(leaf_ones({2}));
  const WeakRef<Node> node(y.grad_fn());
  CHECK_FALSE(node.expired());
  y = Tensor();
  CHECK(node.expired());
}

TEST_CASE("a saved intermediate is version-checked and has no node") {
  const Tensor x = leaf_ones({2});
  const Tensor y = SavesIntermediate::apply(x);
  CHECK_FALSE(saved_tensors_of(y)[0].requires_grad());
  auto& node = static_cast<CustomNode&>(*y.grad_fn());
  node.ctx().saved_data["twice"].to_tensor().add_(1);
  CHECK(error_of([&] { y.sum().backward(); }) == version_error("[2]", "", 1, 0));
}

TEST_CASE("an undefined tensor can be saved, and a second save_for_backward replaces the first") {
  const Tensor x = leaf_ones({2});
  CHECK(error_of([&] { SavesNone::apply(x).sum().backward(); }) == "no error");
}

TEST_CASE("backward frees saved tensors: a second one is an error") {
  const Tensor x = leaf_ones({2});
  const Tensor y = Sq::apply(x);
  y.sum().backward();
  CHECK(error_of([&] { y.sum().backward(); }) == kFreed);
  CHECK(error_of([&] { saved_tensors_of(y); }) == kFreed);
  CHECK(x.grad().to_string() == "tensor([2., 2.])");
}

TEST_CASE("freed comes before the version") {
  const Tensor x = leaf_ones({2});
  const Tensor y = Sq::apply(x);
  y.sum().backward();
  const NoGradGuard no_grad;
  x.add_(1);
  CHECK(error_of([&] { saved_tensors_of(y); }) == kFreed);
}

TEST_CASE("retain_graph keeps them") {
  const Tensor x = leaf_ones({2});
  const Tensor y = Sq::apply(x).sum();
  y.backward({}, {.retain_graph = true});
  y.backward();
  CHECK(x.grad().to_string() == "tensor([4., 4.])");
}

TEST_CASE("a graph whose nodes save no tensor can be run again") {
  const Tensor x = leaf_ones({2});
  const Tensor y = (-(x + 1)).view({2}).sum();
  y.backward();
  y.backward();
  CHECK(x.grad().to_string() == "tensor([-2., -2.])");
  CHECK(error_of([&] {
          const Tensor z = (x - 3.0).sum();
          z.backward();
          z.backward();
        }) == "no error");
  CHECK(error_of([&] {
          const Tensor z = (3.0 - x).sum();
          z.backward();
          z.backward();
        }) == "no error");
}

TEST_CASE("a number that was multiplied with is a saved tensor too") {
  const Tensor x = leaf_ones({2});
  const auto twice = [](const Tensor& y) {
    y.sum().backward();
    y.sum().backward();
  };
  CHECK(error_of([&] { twice(x * 3.0); }) == kFreed);
  CHECK(error_of([&] { twice(x / 3.0); }) == kFreed);
}

TEST_CASE("a node outlives its output while somebody holds it") {
  const Tensor x = leaf_ones({2});
  const Ref<Node> node = Sq::apply(x).grad_fn();
  CHECK(node->name() == "SqBackward");
  CHECK(static_cast<CustomNode&>(*node).ctx().saved_tensors()[0].is_same(x));
}

TEST_CASE("a saved input of a built-in op that was detached in place is an error of its own") {
  const Tensor x = leaf_ones({2});
  const Tensor h = x * 1;
  const Tensor y = h * h;
  h.detach_();
  CHECK(error_of([&] { y.sum().backward(); }) ==
        "RuntimeError: Trying to use a saved tensor that has been detached in-place, i.e. with .detach_().This is not supported, "
        "please use out-of-place `.detach()` instead");
}

TEST_CASE("a custom Function does not mind that its saved input was detached in place") {
  const Tensor x = leaf_ones({2});
  const Tensor h = x * 1;
  const Tensor y = Sq::apply(h);
  h.detach_();
  y.sum().backward();
  CHECK(x.grad().to_string() == "tensor([2., 2.])");
}

TEST_CASE("a leaf that stopped requiring grad after the forward gets no gradient and no error") {
  const Tensor x = leaf_ones({2});
  const Tensor y = Sq::apply(x).sum();
  x.requires_grad_(false);
  CHECK(error_of([&] { y.backward(); }) == "no error");
  CHECK_FALSE(x.grad().defined());
  const Tensor z = leaf_ones({2});
  const Tensor w = (z * z).sum();
  z.detach_();
  CHECK(error_of([&] { w.backward(); }) == "no error");
  CHECK_FALSE(z.grad().defined());
}

TEST_CASE("an op saves only what the gradients that are needed need") {
  const auto error_after_writing = [](auto op, bool write_first) {
    const Tensor x = leaf_ones({2});
    const Tensor h = x * 1;
    const Tensor c = full({2}, 3.0);
    const Tensor y = op(h, c).sum();
    const NoGradGuard no_grad;
    (write_first ? h : c).add_(1);
    return error_of([&] { y.backward(); });
  };
  const auto mul = [](const Tensor& a, const Tensor& b) { return a * b; };
  const auto div = [](const Tensor& a, const Tensor& b) { return a / b; };
  const auto add = [](const Tensor& a, const Tensor& b) { return a + b; };
  const auto matmul = [](const Tensor& a, const Tensor& b) { return a.matmul(b); };
  CHECK(error_after_writing(mul, true) == "no error");
  CHECK(error_after_writing(mul, false) == version_error("[2]", "", 1, 0));
  CHECK(error_after_writing(div, true) == "no error");
  CHECK(error_after_writing(div, false) == version_error("[2]", "", 1, 0));
  CHECK(error_after_writing(add, true) == "no error");
  CHECK(error_after_writing(add, false) == "no error");
  CHECK(error_after_writing(matmul, true) == "no error");
  CHECK(error_after_writing(matmul, false) == version_error("[2]", "", 1, 0));
}

TEST_CASE("what one-operand ops save: nothing, their input or their result") {
  enum Saves { kNothing, kInput, kResult };
  const auto check = [](auto op, Saves saves, const std::string& input_node, const std::string& result_node) {
    for (const bool write_input : {true, false}) {
      const Tensor x = leaf_ones({2});
      const Tensor h = x * 1;
      const Tensor y = op(h);
      const Tensor total = y.sum();
      {
        const NoGradGuard no_grad;
        (write_input ? h : y).add_(1);
      }
      const bool fails = write_input ? saves == kInput : saves == kResult;
      const std::string node = write_input ? input_node : result_node;
      CHECK(error_of([&] { total.backward(); }) ==
            (fails ? version_error("[2]", ", which is output 0 of " + node + ",", 1, 0) : "no error"));
    }
  };
  check([](const Tensor& h) { return h.neg(); }, kNothing, "Mul", "Neg");
  check([](const Tensor& h) { return h.clone(); }, kNothing, "Mul", "Clone");
  check([](const Tensor& h) { return h.sign(); }, kNothing, "Mul", "Sign");
  check([](const Tensor& h) { return h.log(); }, kInput, "Mul", "Log");
  check([](const Tensor& h) { return h.erf(); }, kInput, "Mul", "Erf");
  check([](const Tensor& h) { return h.gelu(); }, kInput, "Mul", "Gelu");
  check([](const Tensor& h) { return h.abs(); }, kInput, "Mul", "Abs");
  check([](const Tensor& h) { return h.pow(2); }, kInput, "Mul", "Pow");
  check([](const Tensor& h) { return h.pow(1); }, kInput, "Mul", "Pow");
  check([](const Tensor& h) { return h.pow(0); }, kInput, "Mul", "Pow");
  check([](const Tensor& h) { return h.clamp(0, 3); }, kInput, "Mul", "Clamp1");
  check([](const Tensor& h) { return h.exp(); }, kResult, "Mul", "Exp");
  check([](const Tensor& h) { return h.sqrt(); }, kResult, "Mul", "Sqrt");
  check([](const Tensor& h) { return h.tanh(); }, kResult, "Mul", "Tanh");
  check([](const Tensor& h) { return h.sigmoid(); }, kResult, "Mul", "Sigmoid");
  check([](const Tensor& h) { return h.relu(); }, kResult, "Mul", "Relu");
  check([](const Tensor& h) { return h.reciprocal(); }, kResult, "Mul", "Reciprocal");
}

TEST_CASE("an in-place op that saves its own result may be the last one, one that needs its old value keeps a copy") {
  const Tensor x = leaf_ones({2});
  Tensor h = x * 2;
  h.exp_();
  CHECK(error_of([&] { h.sum().backward(); }) == "no error");
  h = x * 2;
  const Tensor w = leaf_ones({2});
  h.mul_(w);
  {
    const NoGradGuard no_grad;
    h.add_(1);
  }
  CHECK(error_of([&] { h.sum().backward(); }) == "no error");
  CHECK(w.grad().to_string() == "tensor([2., 2.])");
  h = x * 2;
  h.mul_(h);
  CHECK(error_of([&] { h.sum().backward(); }) == version_error("[2]", ", which is output 0 of Mul,", 1, 0));
  h.detach_();  // h -> node -> saved h is a cycle, in PyTorch too
}

TEST_CASE("relu's gradient of the gradient keeps the result only") {
  const Tensor x = leaf({1, 2});
  const Tensor seed = leaf({1, 1}) * 1;
  const Tensor g = grad({x.relu()}, {x}, {seed}, {.create_graph = true})[0];
  seed.mul_(2);
  CHECK(error_of([&] { g.sum().backward(); }) == "no error");
}

namespace {

struct SavesViewThenWrites : Function<SavesViewThenWrites> {
  static Tensor forward(Context& ctx, const Tensor& x) {
    ctx.save_for_backward(x);
    x.mul_(2);
    ctx.mark_dirty(x);
    return x;
  }
  static Tensor backward(Context& ctx, const Tensor& g) { return g * ctx.saved_tensors()[0]; }
};

}  // namespace

TEST_CASE("a view that a Function wrote and returned is saved as its output") {
  const Tensor base = leaf({1, 2, 3}) * 1;
  const Tensor view = base[0];
  const Tensor y = SavesViewThenWrites::apply(view);
  CHECK(name_of(y) == "AsStridedBackward0");
  y.fill_(1);
  CHECK(error_of([&] { y.backward(); }) == version_error("[]", ", which is output 0 of SavesViewThenWrites,", 3, 2));
}
