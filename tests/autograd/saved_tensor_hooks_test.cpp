// Section 2.8 of PyTorch's semantics: saved_tensors_hooks.
#include "src/autograd/custom_node.h"
#include "src/autograd/saved_tensor.h"
#include "tests/autograd/expect.h"

using namespace gradlab;
using namespace gradlab::test;

namespace {

Tensor same(const Tensor& tensor) { return tensor; }
Tensor copy(const Tensor& tensor) { return tensor.clone(); }

struct SavesOutput : Function<SavesOutput> {
  static Tensor forward(Context& ctx, const Tensor& x) {
    const Tensor y = x.exp();
    ctx.save_for_backward(y, Tensor());
    return y;
  }
  static Tensor backward(Context& ctx, const Tensor& g) {
    const TensorList saved = ctx.saved_tensors();
    CHECK_FALSE(saved[1].defined());
    return g * saved[0];
  }
};

}  // namespace

TEST_CASE("pack sees the very tensor when it is saved, unpack runs when it is read") {
  const Tensor x = leaf({3});
  std::string log;
  Tensor y;
  {
    const SavedTensorHooksGuard hooks({[&](const Tensor& t) {
                                         log += t.is_same(x) && !GradMode::is_enabled() ? "pack " : "other ";
                                         return t;
                                       },
                                       [&](const Tensor& t) {
                                         log += "unpack ";
                                         return t;
                                       }});
    y = x * x;
  }
  CHECK(log == "pack pack ");
  y.backward();
  CHECK(log == "pack pack unpack unpack ");
  CHECK(x.grad().to_string() == "tensor([6.])");
}

TEST_CASE("hooks switch the version check off") {
  const Tensor x = leaf({3});
  Tensor y;
  {
    const SavedTensorHooksGuard hooks({same, same});
    y = Sq::apply(x);
  }
  {
    const NoGradGuard no_grad;
    x.mul_(10);
  }
  y.backward();
  CHECK(x.grad().to_string() == "tensor([60.])");
}

TEST_CASE("only the innermost pair runs") {
  const Tensor x = leaf({3});
  std::string log;
  const auto noting = [&](const char* name) {
    return SavedTensorHooks{[&log, name](const Tensor& t) {
                              log += name;
                              return t;
                            },
                            same};
  };
  const SavedTensorHooksGuard outer(noting("outer "));
  Tensor y;
  {
    const SavedTensorHooksGuard inner(noting("inner "));
    y = x.exp();
  }
  CHECK(log == "inner ");
  const Tensor z = x.exp();
  CHECK(log == "inner outer ");
}

TEST_CASE("a number that an op saves is not packed") {
  const Tensor x = leaf({3});
  std::string log;
  const SavedTensorHooksGuard hooks({[&](const Tensor& t) {
                                       log += "pack ";
                                       return t;
                                     },
                                     same});
  (x * 2.0).backward();
  CHECK(log.empty());
  CHECK(x.grad().item() == 2);
}

TEST_CASE("what pack returns is what backward reads") {
  const Tensor x = leaf({3});
  Tensor y;
  {
    const SavedTensorHooksGuard hooks({[](const Tensor& t) { return t * 2; }, same});
    y = x * x;
  }
  y.backward();
  CHECK(x.grad().to_string() == "tensor([12.])");
}

TEST_CASE("what unpack returns gets the saved tensor's history: double backward works") {
  const Tensor x = leaf_scalar(2);
  Tensor cube;
  Tensor exponential;
  Tensor custom;
  {
    const SavedTensorHooksGuard hooks({copy, copy});
    cube = x.pow(3);
    exponential = x.exp();
    custom = SavesOutput::apply(x);
  }
  const Tensor g = grad({cube}, {x}, {}, {.create_graph = true})[0];
  CHECK(g.to_string() == "tensor(12., grad_fn=<MulBackward0>)");
  CHECK(grad({g}, {x})[0].item() == 12);
  for (const Tensor& y : {exponential, custom}) {
    const Tensor first = grad({y}, {x}, {}, {.create_graph = true})[0];
    CHECK(first.to_string() == "tensor(7.3891, grad_fn=<MulBackward0>)");
    CHECK(grad({first}, {x})[0].to_string() == "tensor(7.3891)");
  }
}

TEST_CASE("unpack runs at every read") {
  const Tensor x = leaf_ones({2});
  int count = 0;
  Tensor y;
  {
    const SavedTensorHooksGuard hooks({same, [&](const Tensor& t) {
                                         ++count;
                                         return t;
                                       }});
    y = Sq::apply(x).sum();
  }
  y.backward({}, {.retain_graph = true});
  CHECK(count == 1);
  y.backward();
  CHECK(count == 2);
  CHECK(error_of([&] { y.backward(); }) == kFreed);
  CHECK(count == 2);
}

TEST_CASE("a pack hook may not write its input") {
  const Tensor x = leaf_scalar(2);
  const SavedTensorHooksGuard hooks({[](const Tensor& t) {
                                       t.mul_(2);
                                       return t;
                                     },
                                     same});
  CHECK(error_of([&] { x.exp(); }) ==
        "RuntimeError: A saved tensor pack hook is modifying its input in place. Tensors provided as input to pack hook cannot be "
        "modified by in-place operations as this can lead to unexpected side-effects. Please open an issue if you need to perform "
        "in-place operations on the input to a pack hook.");
}

TEST_CASE("hooks can move saved tensors elsewhere and back") {
  const Tensor x = leaf({1, 2});
  std::vector<Tensor> shelf;
  Tensor y;
  {
    const SavedTensorHooksGuard hooks({[&](const Tensor& t) {
                                         shelf.push_back(t.clone());
                                         return scalar_tensor(static_cast<double>(shelf.size() - 1));
                                       },
                                       [&](const Tensor& t) { return shelf[static_cast<std::size_t>(t.item())]; }});
    y = (x * x).exp();
  }
  y.sum().backward();
  CHECK(shelf.size() == 3);
  CHECK(x.grad().to_string() == "tensor([  5.4366, 218.3926])");
}
