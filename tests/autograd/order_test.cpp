// Section 4.2 of PyTorch's semantics: the order in which nodes run and gradients add up.
#include "src/autograd/node.h"

#include "tests/autograd/expect.h"

using namespace gradlab;
using namespace gradlab::test;

namespace {

std::string ran;

struct L : Function<L> {
  static Tensor forward(Context& ctx, const Tensor& x, const std::string& name) {
    ctx.saved_data["name"] = name;
    return x * 1;
  }
  static TensorList backward(Context& ctx, const TensorList& g) {
    ran += ctx.saved_data["name"].to_text() + " ";
    return {g[0], {}};
  }
};

Tensor l(const Tensor& x, const std::string& name) { return L::apply(x, name); }

// One node that leads to many leaves.
struct Many : Function<Many> {
  static Tensor forward(Context&, const Tensor& a, const Tensor& b, const Tensor& c, const Tensor& d, const Tensor& e,
                        const Tensor& f) {
    return a + b + c + d + e + f;
  }
  static TensorList backward(Context&, const TensorList& g) { return {g[0], g[0], g[0], g[0], g[0], g[0]}; }
};

// The order in which `n` leaves that one node makes ready leave the queue.
std::string order_of_leaves(std::size_t n) {
  std::vector<Tensor> leaves;
  for (std::size_t i = 0; i < 6; ++i) {
    leaves.push_back(ones({1}, {.requires_grad = i < n}));
    if (i < n) {
      leaves[i].register_hook([i](const Tensor&) {
        ran += std::to_string(i) + " ";
        return Tensor();
      });
    }
  }
  ran.clear();
  Many::apply(leaves[0], leaves[1], leaves[2], leaves[3], leaves[4], leaves[5]).backward();
  return ran;
}

}  // namespace

TEST_CASE("the newest ready node runs first, a leaf as soon as it is ready") {
  const Tensor x = leaf_ones({1});
  x.register_hook([](const Tensor&) {
    ran += "x ";
    return Tensor();
  });
  const Tensor a = l(x, "a");
  const Tensor b = l(x, "b");
  const Tensor c = l(a, "c");
  ran.clear();
  (b + c).backward();
  CHECK(ran == "c b a x ");
}

TEST_CASE("the order of the roots does not matter") {
  const Tensor x = leaf_ones({1});
  const Tensor a = l(x, "a");
  const Tensor b = l(x, "b");
  const Tensor c = l(x, "c");
  ran.clear();
  backward({a, c, b});
  CHECK(ran == "c b a ");
}

TEST_CASE("a node waits for all its gradients") {
  const Tensor x = leaf_ones({1});
  const Tensor a = l(x, "a");
  const Tensor b = l(a, "b");
  const Tensor c = l(b, "c");
  ran.clear();
  (a + b + c).backward();
  CHECK(ran == "c b a ");
  CHECK(x.grad().item() == 3);
}

TEST_CASE("gradients add up in the order of arrival: rounding follows the order of execution") {
  Tensor x = leaf_scalar(1);
  {
    const Tensor c = x * -1e8;
    const Tensor a = x * 1e8;
    const Tensor b = x * 1.0;
    ((a + b) + c).backward();  // adds b, a, c
    CHECK(x.grad().to_string() == "tensor(0.)");
  }
  x = leaf_scalar(1);
  {
    const Tensor b = x * 1.0;
    const Tensor a = x * 1e8;
    const Tensor c = x * -1e8;
    ((a + b) + c).backward();  // adds c, a, b
    CHECK(x.grad().to_string() == "tensor(1.)");
  }
}

TEST_CASE("leaves that one node makes ready leave in the order of the priority queue") {
  CHECK(order_of_leaves(2) == "0 1 ");
  CHECK(order_of_leaves(3) == "0 1 2 ");
  CHECK(order_of_leaves(4) == "0 2 1 3 ");
  CHECK(order_of_leaves(5) == "0 2 4 1 3 ");
  CHECK(order_of_leaves(6) == "0 2 5 4 1 3 ");
}

TEST_CASE("an exception stops the run, and leaves that were served keep their gradient") {
  const Tensor early = leaf_ones({1});
  const Tensor late = leaf_ones({1});
  const Tensor a = late * 1;
  a.register_hook([](const Tensor&) -> Tensor { throw Error(ErrorType::kRuntimeError, "stop"); });
  const Tensor b = early * 1;
  CHECK(error_of([&] { (a + b).backward(); }) == "RuntimeError: stop");
  CHECK(early.grad().to_string() == "tensor([1.])");
  CHECK_FALSE(late.grad().defined());
}

TEST_CASE("sequence numbers count up by one with each recorded op") {
  const Tensor x = leaf_ones({1});
  const std::uint64_t first = (x * 1).grad_fn()->sequence_nr();
  CHECK((x + 1).grad_fn()->sequence_nr() == first + 1);
  ones({1}) + 1;
  CHECK(l(x, "a").grad_fn()->sequence_nr() == first + 2);
}
