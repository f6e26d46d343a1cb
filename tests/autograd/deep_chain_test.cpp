// NOTE [No recursion] in node.h: chains of a million nodes and more, walked and destroyed on an 8 MiB stack.
#include <pthread.h>

#include "tests/autograd/expect.h"

using namespace gradlab;
using namespace gradlab::test;

namespace {

constexpr std::size_t kStackBytes = 8 << 20;

// Runs `action` on a thread whose stack is what the main thread has by default, whatever `ulimit -s` says.
void on_a_default_stack(void (*action)()) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kStackBytes);
  pthread_t thread;
  const auto run = [](void* argument) -> void* {
    reinterpret_cast<void (*)()>(argument)();
    return nullptr;
  };
  REQUIRE(pthread_create(&thread, &attributes, run, reinterpret_cast<void*>(action)) == 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
}

struct Halve : Function<Halve> {
  static Tensor forward(Context& ctx, const Tensor& x) {
    ctx.save_for_backward(x);
    return x * 0.5;
  }
  static Tensor backward(Context& ctx, const Tensor& g) {
    ctx.saved_tensors();
    return g * 1;
  }
};

struct KeepOnCtx : Function<KeepOnCtx> {
  static Tensor forward(Context& ctx, const Tensor& x) {
    ctx.saved_data["x"] = x;
    return x + 1;
  }
  static Tensor backward(Context&, const Tensor& g) { return g; }
};

template <int kDepth>
void built_in_chain() {
  const Tensor x = leaf_ones({1});
  Tensor y = x;
  for (int i = 0; i < kDepth; ++i) y = y + 1;
  y.backward();
  CHECK(x.grad().item() == 1);
  CHECK(y.item() == (kDepth < (1 << 24) ? kDepth + 1 : y.item()));
}

template <int kDepth>
void custom_chain() {
  const Tensor x = leaf_ones({1});
  Tensor y = x;
  for (int i = 0; i < kDepth; ++i) y = Halve::apply(y);
  y.backward();
  CHECK(x.grad().item() == 1);
}

constexpr int kMillion = 1'000'000;

}  // namespace

TEST_CASE("a million built-in nodes are walked and destroyed") { on_a_default_stack(&built_in_chain<kMillion>); }

TEST_CASE("a million custom nodes with saved tensors are walked and destroyed") { on_a_default_stack(&custom_chain<kMillion>); }

TEST_CASE("a million nodes are destroyed without a backward") {
  on_a_default_stack([] {
    Tensor y = leaf_ones({1});
    for (int i = 0; i < kMillion; ++i) y = y * 1.0;
  });
}

TEST_CASE("a million nodes that keep their inputs on ctx are destroyed") {
  on_a_default_stack([] {
    Tensor y = leaf_ones({1});
    for (int i = 0; i < kMillion; ++i) y = KeepOnCtx::apply(y);
  });
}

TEST_CASE("a million in-place writes are walked and destroyed") {
  on_a_default_stack([] {
    const Tensor x = leaf_ones({1});
    const Tensor h = x * 1;
    for (int i = 0; i < kMillion; ++i) h.add_(1);
    h.backward();
    CHECK(x.grad().item() == 1);
  });
}

TEST_CASE("grad with respect to the start of a million nodes searches without recursion") {
  on_a_default_stack([] {
    const Tensor x = leaf_ones({1});
    Tensor y = x;
    for (int i = 0; i < kMillion; ++i) y = y + 1;
    CHECK(grad({y}, {x})[0].item() == 1);
  });
}

TEST_CASE("a hundred thousand writes through a view are walked and destroyed") {
  on_a_default_stack([] {
    const Tensor x = leaf_ones({2});
    const Tensor h = x * 1;
    const Tensor v = h[0];
    for (int i = 0; i < 100'000; ++i) v.add_(1);
    h.sum().backward();
    CHECK(x.grad().to_string() == "tensor([1., 1.])");
  });
}

TEST_CASE("a hundred thousand deep double backward is walked and destroyed") {
  on_a_default_stack([] {
    const Tensor x = leaf_scalar(1);
    Tensor y = x;
    for (int i = 0; i < 100'000; ++i) y = y * 1.0;
    const Tensor g = grad({y * y}, {x}, {}, {.create_graph = true})[0];
    CHECK(g.item() == 2);
    CHECK(grad({g}, {x})[0].item() == 2);
  });
}

TEST_CASE("an error in a million nodes leaves nothing behind that recurses") {
  on_a_default_stack([] {
    const Tensor x = leaf_ones({1});
    x.register_hook([](const Tensor&) -> Tensor { throw Error(ErrorType::kRuntimeError, "stop"); });
    Tensor y = x;
    for (int i = 0; i < kMillion; ++i) y = y + 1;
    CHECK(error_of([&] { y.backward(); }) == "RuntimeError: stop");
  });
}

TEST_SUITE("slow") {
  TEST_CASE("ten million built-in nodes are walked and destroyed") { on_a_default_stack(&built_in_chain<10 * kMillion>); }
  TEST_CASE("ten million custom nodes are walked and destroyed") { on_a_default_stack(&custom_chain<10 * kMillion>); }
}
