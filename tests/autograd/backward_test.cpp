// Sections 4.1, 4.3 and 4.4 of PyTorch's semantics: seeds, roots, grad() and their errors.
#include "src/autograd/engine.h"

#include "tests/autograd/expect.h"

using namespace gradlab;
using namespace gradlab::test;

namespace {

std::string unused(int index) {
  return "RuntimeError: The differentiated Tensor at index " + std::to_string(index) +
         " appears to not have been used in the graph. Set allow_unused=True if this is the desired behavior.";
}

struct Counts : Function<Counts> {
  static inline int runs = 0;
  static Tensor forward(Context&, const Tensor& x) { return x * 1; }
  static Tensor backward(Context&, const Tensor& g) {
    ++runs;
    return g;
  }
};

struct RunsBackwardInside : Function<RunsBackwardInside> {
  static Tensor forward(Context& ctx, const Tensor& x) {
    ctx.save_for_backward(x);
    return x * x;
  }
  static Tensor backward(Context& ctx, const Tensor& g) {
    const EnableGradGuard enable_grad;
    const Tensor x = ctx.saved_tensors()[0].detach().requires_grad_();
    (x * x).sum().backward();
    return g * x.grad();
  }
};

struct RunsTheOuterGraphInside : Function<RunsTheOuterGraphInside> {
  static inline Tensor shared;
  static Tensor forward(Context&, const Tensor& x) { return x * 1; }
  static Tensor backward(Context&, const Tensor& g) {
    shared.backward({}, {.retain_graph = true});
    return g;
  }
};

}  // namespace

TEST_CASE("the implicit gradient is for one element only") {
  const Tensor x = leaf_ones({3});
  const std::string text = "RuntimeError: grad can be implicitly created only for scalar outputs";
  CHECK(error_of([&] { (x * 2).backward(); }) == text);
  CHECK(error_of([] { leaf_ones({0}).backward(); }) == text);
  CHECK(error_of([&] { (x * 2).sum().backward(); }) == "no error");
  CHECK(error_of([] { (leaf_ones({1, 1}) * 2).backward(); }) == "no error");
  CHECK(error_of([] { (leaf_ones({1}) * 2).backward(); }) == "no error");
}

TEST_CASE("a root that does not require grad is named by its index") {
  const Tensor x = leaf_ones({3});
  const Tensor z = ones({3});
  CHECK(error_of([&] { z.backward(); }) == kNoGradFn);
  CHECK(error_of([&] { z.sum().backward(); }) == kNoGradFn);
  CHECK(error_of([&] { backward({x.sum(), z.sum()}); }) ==
        "RuntimeError: element 1 of tensors does not require grad and does not have a grad_fn");
}

TEST_CASE("a given gradient has exactly the output's shape") {
  const Tensor x = leaf_ones({3});
  CHECK(error_of([&] { (x * 2).backward(ones({2})); }) ==
        "RuntimeError: Mismatch in shape: grad_output[0] has a shape of torch.Size([2]) and output[0] has a shape of torch.Size([3]).");
  CHECK(error_of([&] { grad({x.sum()}, {x}, {ones({1})}); }) ==
        "RuntimeError: Mismatch in shape: grad_output[0] has a shape of torch.Size([1]) and output[0] has a shape of torch.Size([]).");
  CHECK(error_of([&] { backward({x * 2, x * 3}, {ones({3})}); }) == "RuntimeError: got 2 tensors and 1 gradients");
}

TEST_CASE("one misfit among several given gradients is looked up by ==") {
  const Tensor x = leaf_ones({3});
  const Tensor a = x * 2, b = x * 3, c = x.sum();
  const auto gradients = [&](const Tensor& first, const Tensor& second, const Tensor& output) {
    return error_of([&] { grad({output, b}, {x}, {first, second}); });
  };
  CHECK(gradients(ones({2}), ones({3}), a) ==
        "RuntimeError: Mismatch in shape: grad_output[0] has a shape of torch.Size([2]) and output[0] has a shape of torch.Size([3]).");
  CHECK(gradients(ones({3}), ones({2}), a) ==
        "RuntimeError: The size of tensor a (3) must match the size of tensor b (2) at non-singleton dimension 0");
  CHECK(gradients(ones({3}), ones({3, 1}), a) == "RuntimeError: Boolean value of Tensor with more than one value is ambiguous");
  CHECK(gradients(scalar_tensor(2), ones({1}), c) == "RuntimeError: Boolean value of Tensor with more than one value is ambiguous");
  CHECK(gradients(ones({0}), ones({1}), x.narrow(0, 0, 0)) == "RuntimeError: Boolean value of Tensor with no values is ambiguous");
}

TEST_CASE("integers have no implicit gradient") {
  const Tensor x = scalar_tensor(3, {.dtype = DType::kInt64});
  x.fill_(leaf_scalar(2));
  CHECK(error_of([&] { x.backward(); }) ==
        "RuntimeError: grad can be implicitly created only for real scalar outputs but got torch.int64");
}

TEST_CASE("a given gradient of another dtype is cast") {
  const Tensor x = leaf_ones({2});
  (x * 2).backward(full({2}, 3, {.dtype = DType::kFloat64}));
  CHECK(x.grad().to_string() == "tensor([6., 6.])");
}

TEST_CASE("backward on a leaf scalar sets its own grad to 1") {
  const Tensor x = leaf_scalar(2);
  x.backward();
  CHECK(x.grad().to_string() == "tensor(1.)");
}

TEST_CASE("backward works under no_grad") {
  const Tensor x = leaf_ones({2});
  const Tensor y = (x * 2).sum();
  const NoGradGuard no_grad;
  y.backward();
  CHECK(x.grad().to_string() == "tensor([2., 2.])");
}

TEST_CASE("no roots is no error") { CHECK(error_of([] { backward({}); }) == "no error"); }

TEST_CASE("several roots add up, and a root that another one leads to runs once") {
  const Tensor x = leaf_ones({1});
  const Tensor h = Counts::apply(x);
  Counts::runs = 0;
  backward({h, h * 2, h}, {ones({1}), ones({1}), ones({1})});
  CHECK(x.grad().to_string() == "tensor([4.])");
  CHECK(Counts::runs == 1);
}

TEST_CASE("grad returns gradients and leaves .grad alone") {
  const Tensor x = leaf_ones({2});
  const Tensor w = leaf({3, 4});
  const TensorList grads = grad({(x * w).sum()}, {w, x});
  CHECK(grads[0].to_string() == "tensor([1., 1.])");
  CHECK(grads[1].to_string() == "tensor([3., 4.])");
  CHECK_FALSE(x.grad().defined());
  CHECK_FALSE(w.grad().defined());
}

TEST_CASE("grad names the first unused input") {
  const Tensor x = leaf_ones({3});
  const Tensor w = leaf_ones({2});
  CHECK(error_of([&] { grad({x.sum()}, {w}); }) == unused(0));
  CHECK(error_of([&] { grad({x.sum()}, {x, w}); }) == unused(1));
  CHECK(error_of([&] { grad({}, {x}); }) == unused(0));
  const TensorList grads = grad({x.sum()}, {w, x}, {}, {.allow_unused = true});
  CHECK_FALSE(grads[0].defined());
  CHECK(grads[1].to_string() == "tensor([1., 1., 1.])");
}

TEST_CASE("a custom backward that returns nothing makes its input unused") {
  const Tensor x = leaf_ones({3});
  CHECK(error_of([&] { grad({test::ReturnsNone::apply(x).sum()}, {x}); }) == unused(0));
}

TEST_CASE("grad refuses inputs that do not require grad, and none at all") {
  const Tensor x = leaf_ones({3});
  CHECK(error_of([&] { grad({x.sum()}, {ones({3})}); }) == "RuntimeError: One of the differentiated Tensors does not require grad");
  CHECK(error_of([&] { grad({x.sum()}, {}); }) == "RuntimeError: `inputs` argument to `grad()` cannot be empty.");
}

TEST_CASE("grad of a non-leaf and of a root itself") {
  const Tensor x = leaf_ones({2});
  const Tensor h = x * 2;
  const Tensor y = (h * 3).sum();
  CHECK(grad({y}, {h}, {}, {.retain_graph = true})[0].to_string() == "tensor([3., 3.])");
  CHECK(grad({y}, {y}, {}, {.retain_graph = true})[0].to_string() == "tensor(1.)");
  const TensorList both = grad({y}, {h, x});
  CHECK(both[0].to_string() == "tensor([3., 3.])");
  CHECK(both[1].to_string() == "tensor([6., 6.])");
}

TEST_CASE("only nodes on a path to the inputs run") {
  const Tensor x = leaf_ones({1});
  const Tensor w = leaf_ones({1});
  const Tensor y = Counts::apply(x) * w;
  Counts::runs = 0;
  grad({y}, {w}, {}, {.retain_graph = true});
  CHECK(Counts::runs == 0);
  grad({y}, {x});
  CHECK(Counts::runs == 1);
}

TEST_CASE("backward with inputs fills only those, non-leaves included") {
  const Tensor x = leaf_ones({2});
  const Tensor w = leaf_ones({2});
  const Tensor h = x * 2;
  backward({h.sum()}, {}, {.retain_graph = true}, {h});
  CHECK(h.grad().to_string() == "tensor([1., 1.])");
  CHECK_FALSE(x.grad().defined());
  CHECK(error_of([&] { backward({h.sum()}, {}, {}, {w}); }) == "no error");
  CHECK_FALSE(w.grad().defined());
}

TEST_CASE("retain_graph is create_graph's default") {
  const Tensor x = leaf_ones({2});
  const Tensor y = (x * x).sum();
  grad({y}, {x}, {}, {.create_graph = true});
  CHECK(error_of([&] { grad({y}, {x}, {}, {.retain_graph = false, .create_graph = true}); }) == "no error");
  CHECK(error_of([&] { grad({y}, {x}); }) == kFreed);
}

TEST_CASE("nodes are freed one by one: an error in between leaves a part") {
  const Tensor x = leaf_ones({2});
  const Tensor h = x * x;
  const Tensor y = (h * h).sum();
  x.register_hook([](const Tensor&) -> Tensor { throw Error(ErrorType::kValueError, "stop"); });
  CHECK(error_of([&] { y.backward(); }) == "ValueError: stop");
  CHECK(error_of([&] { h.sum().backward(); }) == kFreed);
}

TEST_CASE("create_graph in backward warns, once in a process") {
  const Tensor x = leaf_ones({1});
  const auto run = [&] {
    (x * x).backward({}, {.create_graph = true});
    x.set_grad({});  // ends the cycle that the warning is about
  };
  const std::size_t first = warnings_of(run).size();
  CHECK(first <= 1);  // another test may have been first
  CHECK(warnings_of(run).empty());
  CHECK(warnings_of([&] { grad({x * x}, {x}, {}, {.create_graph = true}); }).empty());
}

TEST_CASE("a backward inside a backward runs on its own") {
  const Tensor x = leaf_scalar(3);
  RunsBackwardInside::apply(x).backward();
  CHECK(x.grad().to_string() == "tensor(6.)");
}

TEST_CASE("a backward inside a backward may run through nodes that the outer one waits for") {
  const Tensor x = leaf_ones({1});
  const Tensor h = x + 1;
  RunsTheOuterGraphInside::shared = h * 1;
  const Tensor y = RunsTheOuterGraphInside::apply(h) + h;
  y.backward({}, {.retain_graph = true});
  RunsTheOuterGraphInside::shared = Tensor();
  CHECK(x.grad().to_string() == "tensor([3.])");
}

TEST_CASE("after an error the graph that was kept can be run again from the start") {
  const Tensor x = leaf_ones({1});
  bool fails = true;
  const Tensor a = x * 2;
  const Tensor b = x * 3;
  b.register_hook([&](const Tensor&) -> Tensor {
    if (fails) throw Error(ErrorType::kValueError, "stop");
    return {};
  });
  const Tensor y = a + b;
  CHECK(error_of([&] { y.backward({}, {.retain_graph = true}); }) == "ValueError: stop");
  fails = false;
  y.backward({}, {.retain_graph = true});
  CHECK(x.grad().to_string() == "tensor([5.])");
}
