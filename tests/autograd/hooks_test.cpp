// Sections 4.7 and 4.8 of PyTorch's semantics: the order of hooks, what they see, and their errors.
#include "src/autograd/hooks.h"

#include "tests/autograd/expect.h"

using namespace gradlab;
using namespace gradlab::test;

namespace {

std::string text_of(const Tensor& grad) { return grad.defined() ? grad.to_string() : "None"; }

// Notes the gradient that it sees, and keeps it.
TensorHook notes(std::string& log, const std::string& name) {
  return [&log, name](const Tensor& grad) {
    log += name + " " + text_of(grad) + "; ";
    return Tensor();
  };
}

}  // namespace

TEST_CASE("tensor hooks run in order of registration, each on what the one before returned, then retain_grad") {
  const Tensor x = leaf_ones({1});
  const Tensor h = x * 2;
  std::string log;
  h.register_hook([&](const Tensor& grad) {
    log += "a " + text_of(grad) + "; ";
    return grad * 2;
  });
  h.register_hook(notes(log, "b"));
  h.retain_grad();
  h.register_hook([&](const Tensor& grad) {
    log += "c " + text_of(grad) + "; ";
    return grad + 1;
  });
  h.sum().backward();
  CHECK(log == "a tensor([1.]); b tensor([2.]); c tensor([2.]); ");
  CHECK(h.grad().to_string() == "tensor([3.])");
  CHECK(x.grad().to_string() == "tensor([6.])");
}

TEST_CASE("at a leaf: tensor hooks, node prehooks, accumulation, post-accumulate hooks, node posthooks") {
  const Tensor x = leaf_ones({1});
  std::string log;
  const auto grad_now = [&] { return x.grad().defined() ? "set" : "unset"; };
  const Ref<Node> accumulator = grad_accumulator(x);
  register_hook(*accumulator, [&](const TensorList& grad_inputs, const TensorList& grad_outputs) {
    log += "node post " + std::to_string(grad_inputs.size()) + " " + text_of(grad_outputs[0]) + "; ";
    return std::nullopt;
  });
  x.register_post_accumulate_grad_hook([&](const Tensor& leaf) { log += "accumulated " + text_of(leaf.grad()) + "; "; });
  register_prehook(*accumulator, [&](const TensorList& grads) {
    log += "node pre " + text_of(grads[0]) + " " + grad_now() + "; ";
    return std::nullopt;
  });
  x.register_hook([&](const Tensor& grad) {
    log += "tensor " + text_of(grad) + " " + grad_now() + "; ";
    return grad * 10;
  });
  (x * 2).sum().backward();
  CHECK(log ==
        "tensor tensor([2.]) unset; node pre tensor([20.]) unset; accumulated tensor([20.]); node post 0 tensor([20.]); ");
}

TEST_CASE("node hooks see the gradients that arrive and leave, and may replace them") {
  const Tensor x = leaf_ones({1});
  const Tensor h = x * 2;
  std::string log;
  register_prehook(*h.grad_fn(), [&](const TensorList& grads) {
    log += "pre " + text_of(grads[0]) + "; ";
    return std::optional(TensorList{grads[0] * 3});
  });
  register_hook(*h.grad_fn(), [&](const TensorList& grad_inputs, const TensorList& grad_outputs) {
    log += "post " + text_of(grad_inputs[0]) + " " + text_of(grad_inputs[1]) + " " + text_of(grad_outputs[0]) + "; ";
    return std::optional(TensorList{grad_inputs[0] + 1, {}});
  });
  h.sum().backward();
  CHECK(log == "pre tensor([1.]); post tensor([6.]) None tensor([3.]); ");
  CHECK(x.grad().to_string() == "tensor([7.])");
}

TEST_CASE("a leaf's hooks outlive the graph, and run for grad too") {
  const Tensor x = leaf_ones({1});
  std::string log;
  x.register_hook(notes(log, "x"));
  (x * 2).sum().backward();
  (x * 3).sum().backward();
  grad({(x * 4).sum()}, {x});
  CHECK(log == "x tensor([2.]); x tensor([3.]); x tensor([4.]); ");
  x.register_hook([](const Tensor& g) { return g * 100; });
  CHECK(grad({(x * 4).sum()}, {x})[0].to_string() == "tensor([400.])");
}

TEST_CASE("a leaf's hook that is registered after the graph was made runs") {
  const Tensor x = leaf_ones({1});
  const Tensor y = (x * 2).sum();
  std::string log;
  x.register_hook(notes(log, "x"));
  y.backward();
  CHECK(log == "x tensor([2.]); ");
}

TEST_CASE("after an in-place op an earlier hook sees the old value's gradient, retain_grad the new value's") {
  const Tensor x = leaf_ones({1});
  const Tensor h = x * 2;
  std::string log;
  h.register_hook(notes(log, "old"));
  h.retain_grad();
  h.mul_(3);
  h.register_hook(notes(log, "new"));
  (h * 5).sum().backward();
  CHECK(log == "new tensor([5.]); old tensor([15.]); ");
  CHECK(h.grad().to_string() == "tensor([5.])");
}

TEST_CASE("a view's hook stays at its old node") {
  const Tensor x = leaf_ones({4});
  const Tensor h = x * 1;
  const Tensor v = h.narrow(0, 0, 2);
  std::string log;
  v.register_hook(notes(log, "v"));
  h.mul_(3);
  (v * 5).sum().backward();
  CHECK(log.empty());
  CHECK(x.grad().to_string() == "tensor([15., 15.,  0.,  0.])");
}

TEST_CASE("an undefined gradient reaches hooks as undefined, and cannot be replaced") {
  const Tensor x = leaf_ones({2});
  const Tensor h = x * 2;
  std::string log;
  h.register_hook(notes(log, "h"));
  h.retain_grad();
  x.register_hook(notes(log, "x"));
  x.register_post_accumulate_grad_hook([&](const Tensor& leaf) { log += "accumulated " + text_of(leaf.grad()) + "; "; });
  test::ReturnsNone::apply(h).sum().backward();
  CHECK(log == "h None; x None; accumulated None; ");
  CHECK_FALSE(h.grad().defined());
  const Tensor z = leaf_ones({2});
  z.register_hook([](const Tensor&) { return ones({2}); });
  CHECK(error_of([&] { test::ReturnsNone::apply(z).sum().backward(); }) ==
        "RuntimeError: can't replace a None gradient with a non-None value");
}

TEST_CASE("hooks need a tensor that requires grad, post-accumulate ones a leaf") {
  const auto keep = [](const Tensor&) { return Tensor(); };
  const std::string text = "RuntimeError: cannot register a hook on a tensor that doesn't require gradient";
  CHECK(error_of([&] { ones({2}).register_hook(keep); }) == text);
  CHECK(error_of([&] { ones({2}).register_post_accumulate_grad_hook([](const Tensor&) {}); }) == text);
  CHECK(error_of([&] { (leaf_ones({2}) * 1).register_post_accumulate_grad_hook([](const Tensor&) {}); }) ==
        "RuntimeError: post accumulate grad hooks cannot be registered on non-leaf tensors");
}

TEST_CASE("a tensor hook may not change size or type") {
  const auto error_with = [](const Tensor& replacement, bool on_leaf) {
    const Tensor x = leaf_ones({2});
    const Tensor h = x * 2;
    (on_leaf ? x : h).register_hook([&](const Tensor&) { return replacement; });
    return error_of([&] { h.sum().backward(); });
  };
  for (const bool on_leaf : {true, false}) {
    CHECK(error_with(ones({3}), on_leaf) == "RuntimeError: hook '<lambda>' has changed the size of value");
    CHECK(error_with(ones({2}, {.dtype = DType::kFloat64}), on_leaf) ==
          "RuntimeError: hook '<lambda>' has changed the type of value (was torch.FloatTensor got torch.DoubleTensor)");
    CHECK(error_with(ones({3}, {.dtype = DType::kInt64}), on_leaf) ==
          "RuntimeError: hook '<lambda>' has changed the type of value (was torch.FloatTensor got torch.LongTensor)");
  }
}

TEST_CASE("a node hook may not change number, size or type") {
  const auto pre = [](TensorList replacement) {
    const Tensor h = leaf_ones({2}) * 2;
    register_prehook(*h.grad_fn(), [=](const TensorList&) { return std::optional(replacement); });
    return error_of([&] { h.sum().backward(); });
  };
  const auto post = [](TensorList replacement) {
    const Tensor h = leaf_ones({2}) * 2;
    register_hook(*h.grad_fn(), [=](const TensorList&, const TensorList&) { return std::optional(replacement); });
    return error_of([&] { h.sum().backward(); });
  };
  const Tensor g = ones({2});
  CHECK(pre({g, g}) == "RuntimeError: hook '<lambda>' has returned an incorrect number of values (got 2, but expected 1)");
  CHECK(post({g}) == "RuntimeError: hook '<lambda>' has returned an incorrect number of values (got 1, but expected 2)");
  CHECK(pre({ones({3})}) == "RuntimeError: hook '<lambda>' has changed the size of value");
  CHECK(post({ones({3}), {}}) == "RuntimeError: hook '<lambda>' has changed the size of value");
  CHECK(pre({ones({2}, {.dtype = DType::kFloat64})}) ==
        "RuntimeError: hook '<lambda>' has changed the type of value (was torch.FloatTensor got torch.DoubleTensor)");
  CHECK(pre({Tensor()}) == "no error");
  CHECK(post({Tensor(), Tensor()}) == "no error");
  CHECK(post({g, g}) == "RuntimeError: can't replace a None gradient with a non-None value");
}

TEST_CASE("a hook may register another one, which runs the next time") {
  const Tensor x = leaf_ones({1});
  std::string log;
  x.register_hook([&](const Tensor&) {
    log += "first; ";
    if (log == "first; ") x.register_hook(notes(log, "second"));
    return Tensor();
  });
  (x * 2).sum().backward();
  CHECK(log == "first; ");
  (x * 3).sum().backward();
  CHECK(log == "first; first; second tensor([3.]); ");
}
