// Section 1 of PyTorch's semantics: what a version counter counts, and who shares it.
#include "src/tensor/version_counter.h"

#include "tests/autograd/expect.h"

using namespace gradlab;
using namespace gradlab::test;

TEST_CASE("the version counts in-place operations, not changes") {
  const Tensor x = zeros({2});
  CHECK(x.version() == 0);
  x.add_(1);
  CHECK(x.version() == 1);
  x.mul_(1);
  CHECK(x.version() == 2);
  x.copy_(x);
  CHECK(x.version() == 3);
}

TEST_CASE("each in-place operation adds one") {
  const Tensor x = full({2}, 0.5);
  const Tensor other = ones({2});
  std::uint32_t expected = 0;
  const auto adds_one = [&](const Tensor& written) { CHECK(written.version() == ++expected); };
  adds_one(x.add_(other));
  adds_one(x.sub_(other));
  adds_one(x.mul_(other));
  adds_one(x.div_(other));
  adds_one(x.add_(1));
  adds_one(x.sub_(1));
  adds_one(x.mul_(2));
  adds_one(x.div_(2));
  adds_one(x.neg_());
  adds_one(x.exp_());
  adds_one(x.tanh_());
  adds_one(x.sigmoid_());
  adds_one(x.relu_());
  adds_one(x.zero_());
  adds_one(x.fill_(3));
  adds_one(x.fill_(scalar_tensor(3.0)));
  adds_one(x.copy_(other));
}

TEST_CASE("grad mode does not matter to the count") {
  const Tensor x = leaf_ones({2});
  {
    const NoGradGuard no_grad;
    x.mul_(2);
    const NoGradGuard nested;
    x.mul_(1);
  }
  CHECK(x.version() == 2);
}

TEST_CASE("an in-place operation on an empty slice counts") {
  const Tensor x = zeros({3});
  x.narrow(0, 3, 0).fill_(1);
  CHECK(x.version() == 1);
}

TEST_CASE("an in-place operation that throws adds nothing") {
  const Tensor x = zeros({3});
  CHECK(error_of([&] { x.add_(ones({2})); }) ==
        "RuntimeError: The size of tensor a (3) must match the size of tensor b (2) at non-singleton dimension 0");
  CHECK(x.version() == 0);
  const Tensor longs = ones({2}, {.dtype = DType::kInt64});
  CHECK(error_of([&] { longs.add_(1.5); }) == "RuntimeError: result type Float can't be cast to the desired output type Long");
  CHECK(longs.version() == 0);
  const Tensor parameter = leaf_ones({2});
  CHECK(error_of([&] { parameter.add_(1); }) ==
        "RuntimeError: a leaf Variable that requires grad is being used in an in-place operation.");
  CHECK(parameter.version() == 0);
  CHECK(parameter.to_string() == "tensor([1., 1.], requires_grad=True)");
}

TEST_CASE("an index assignment adds one") {
  const Tensor x = zeros({3});
  x[0] = 5;
  CHECK(x.version() == 1);
  CHECK(x.to_string() == "tensor([5., 0., 0.])");
  const Tensor matrix = zeros({2, 2});
  matrix[1] = 7;
  CHECK(matrix.version() == 1);
  CHECK(matrix.to_string() == "tensor([[0., 0.],\n        [7., 7.]])");
}

TEST_CASE("changing flags adds nothing") {
  const Tensor x = ones({2});
  x.requires_grad_();
  x.set_grad(ones({2}));
  x.detach_();
  x.data().mul_(2);
  x.clone().mul_(2);
  CHECK(x.version() == 0);
  CHECK(x.to_string() == "tensor([2., 2.])");
}

TEST_CASE("views and detach share the counter, data and clone do not") {
  const Tensor x = zeros({4});
  x.add_(1);
  const Tensor view = x.narrow(0, 0, 2);
  const Tensor detached = x.detach();
  const Tensor data = x.data();
  const Tensor copy = x.clone();
  CHECK(view.version() == 1);
  CHECK(detached.version() == 1);
  CHECK(data.version() == 0);
  CHECK(copy.version() == 0);
  view.mul_(2);
  detached.mul_(2);
  data.mul_(2);
  CHECK(x.version() == 3);
  CHECK(view.version() == 3);
  CHECK(data.version() == 1);
  CHECK(copy.version() == 0);
  CHECK(x.to_string() == "tensor([8., 8., 4., 4.])");
}

TEST_CASE("every kind of view shares the counter") {
  const Tensor x = zeros({2, 3});
  const std::vector<Tensor> views{x.view({3, 2}),      x.reshape({6}),          x.t(),          x.expand({4, 2, 3}),
                                  x.select(0, 1),      x.narrow(1, 0, 2),       x.unsqueeze(0), x.unsqueeze(0).squeeze(0),
                                  x.as_strided({2}, {1}, 0), x.view({6}).narrow(0, 1, 2), x.detach().t(), x[0]};
  x.add_(1);
  for (const Tensor& view : views) CHECK(view.version() == 1);
  views[1].add_(1);
  CHECK(x.version() == 2);
}

TEST_CASE("a reshape that has to copy has a counter of its own") {
  const Tensor x = zeros({2, 3});
  const Tensor copy = x.t().reshape({6});
  x.add_(1);
  CHECK(copy.version() == 0);
}

TEST_CASE("contiguous and to share the counter when they return the tensor itself") {
  const Tensor x = zeros({2});
  CHECK(x.contiguous().is_same(x));
  CHECK(x.to(DType::kFloat32).is_same(x));
  CHECK(x.to(Device::kCpu).is_same(x));
}

TEST_CASE("a raw write moves no version, and nothing complains") {
  const Tensor x = leaf_ones({2});
  const Tensor h = x * 1;
  const Tensor y = h * h;
  for (int i = 0; i < 2; ++i) h.data_ptr<float>()[i] = 5;  // stands for a kernel's store
  y.sum().backward();
  CHECK(x.grad().to_string() == "tensor([10., 10.])");  // the true gradient is 2
  CHECK(h.version() == 0);
}

TEST_CASE("increment_version reports a raw write") {
  const Tensor x = leaf({3});
  const Tensor h = x * 1;
  const Tensor y = h * h;
  h.data_ptr<float>()[0] = 5;
  increment_version(h);
  CHECK(h.version() == 1);
  CHECK(error_of([&] { y.backward(); }) == version_error("[1]", ", which is output 0 of Mul,", 1, 0));
}

TEST_CASE("an in-place operation on a normal tensor counts inside inference mode") {
  const Tensor x = ones({2});
  const InferenceModeGuard inference_mode;
  x.mul_(2);
  CHECK(x.version() == 1);
}

TEST_CASE("a tensor made in inference mode has no version") {
  const InferenceModeGuard inference_mode;
  const Tensor x = ones({2});
  x.mul_(2);
  CHECK(error_of([&] { x.version(); }) == "RuntimeError: Inference tensors do not track version counter.");
}

namespace {

struct DoublesInPlace : Function<DoublesInPlace> {
  static Tensor forward(Context& ctx, const Tensor& x) {
    x.mul_(2);
    ctx.mark_dirty(x);
    CHECK(x.version() == 1);
    return x;
  }
  static Tensor backward(Context&, const Tensor& g) { return g * 2; }
};

struct DoublesRaw : Function<DoublesRaw> {
  static Tensor forward(Context& ctx, const Tensor& x, bool tell) {
    x.data_ptr<float>()[0] *= 2;
    if (tell) ctx.mark_dirty(x);
    return x;
  }
  static TensorList backward(Context&, const TensorList& g) { return {g[0] * 2, {}}; }
};

struct ListsTwice : Function<ListsTwice> {
  static Tensor forward(Context& ctx, const Tensor& x) {
    ctx.mark_dirty({x, x});
    return x;
  }
  static Tensor backward(Context&, const Tensor& g) { return g; }
};

}  // namespace

TEST_CASE("a dirtied tensor and its node die together") {
  Tensor h = leaf_ones({2}) * 1;
  DoublesInPlace::apply(h);
  const WeakRef<Node> node(h.grad_fn());
  h = Tensor();
  CHECK(node.expired());
}

TEST_CASE("mark_dirty adds one after forward, on top of forward's own writes") {
  const Tensor h = leaf_ones({2}) * 1;
  DoublesInPlace::apply(h);
  CHECK(h.version() == 2);
}

TEST_CASE("a raw write counts once with mark_dirty and not at all without") {
  const Tensor told = leaf_ones({1}) * 1;
  DoublesRaw::apply(told, true);
  CHECK(told.version() == 1);
  const Tensor silent = leaf_ones({1}) * 1;
  DoublesRaw::apply(silent, false);
  CHECK(silent.version() == 0);
}

TEST_CASE("a tensor that is marked dirty twice counts twice, also without a graph") {
  const Tensor h = leaf_ones({1}) * 1;
  ListsTwice::apply(h);
  CHECK(h.version() == 2);
  const Tensor plain = ones({1});
  ListsTwice::apply(plain);
  CHECK(plain.version() == 2);
}
