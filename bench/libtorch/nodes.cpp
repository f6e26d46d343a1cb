// bench/chain.h's chains in PyTorch's C++, and its GELU called from C++: nodes CASE DEPTH_OR_SIZE SECONDS.
// Prints one line of JSON, medians in ns: for custom and mul a node's, for gelu_... an op's. SECONDS 0 runs once, from
// cold.
#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/csrc/autograd/generated/variable_factories.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

double ns_between(Clock::time_point begin, Clock::time_point end) {
  return std::chrono::duration<double, std::nano>(end - begin).count();
}

double median(std::vector<double>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

struct Times1 : torch::autograd::Function<Times1> {
  static at::Tensor forward(torch::autograd::AutogradContext* ctx, const at::Tensor& x) {
    ctx->save_for_backward({x});
    return x * 1.0;
  }
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* ctx,
                                                 torch::autograd::variable_list grad_outputs) {
    const auto saved = ctx->get_saved_variables();
    return {grad_outputs[0]};
  }
};

template <class Step>
void run_chains(const Step& step, std::int64_t depth, double seconds) {
  std::vector<double> forward, backward, destroy;
  const auto start = Clock::now();
  do {
    at::Tensor x = torch::ones({1}, at::TensorOptions().requires_grad(true));
    const auto begin = Clock::now();
    at::Tensor y = x;
    for (std::int64_t i = 0; i < depth; ++i) y = step(y);
    const auto recorded = Clock::now();
    y.backward();
    const auto walked = Clock::now();
    y = at::Tensor();
    const auto freed = Clock::now();
    const auto nodes = static_cast<double>(depth);
    forward.push_back(ns_between(begin, recorded) / nodes);
    backward.push_back(ns_between(recorded, walked) / nodes);
    destroy.push_back(ns_between(walked, freed) / nodes);
  } while (ns_between(start, Clock::now()) < seconds * 1e9);
  std::printf("{\"forward_ns\": %.3f, \"backward_ns\": %.3f, \"destroy_ns\": %.3f}\n", median(forward),
              median(backward), median(destroy));
}

void run_op(const std::function<void()>& op, double seconds) {
  const auto time_batch = [&](std::int64_t count) {
    const auto begin = Clock::now();
    for (std::int64_t i = 0; i < count; ++i) op();
    return ns_between(begin, Clock::now());
  };
  std::int64_t count = 1;
  while (time_batch(count) < 1e6) count *= 2;
  std::vector<double> times;
  const auto start = Clock::now();
  do {
    times.push_back(time_batch(count) / static_cast<double>(count));
  } while (ns_between(start, Clock::now()) < seconds * 1e9);
  std::printf("{\"ns\": %.3f}\n", median(times));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  at::set_num_threads(1);
  const std::string name = argv[1];
  const std::int64_t n = std::atoll(argv[2]);
  const double seconds = std::atof(argv[3]);
  if (name == "custom") {
    run_chains([](const at::Tensor& y) { return Times1::apply(y); }, n, seconds);
  } else if (name == "mul") {
    const at::Tensor factor = torch::ones({1});
    run_chains([&](const at::Tensor& y) { return y * factor; }, n, seconds);
  } else {
    const at::Tensor x = torch::randn({n}), grad = torch::randn({n});
    if (name == "gelu_forward") {
      run_op([&] { at::gelu(x); }, seconds);
    } else if (name == "gelu_backward") {
      run_op([&] { at::gelu_backward(grad, x); }, seconds);
    } else if (name == "gelu_step") {
      const at::Tensor leaf = x.detach().requires_grad_();
      const auto step = [&] {
        at::gelu(leaf).sum().backward();
        leaf.mutable_grad() = at::Tensor();
      };
      run_op(step, seconds);
    } else {
      return 2;
    }
  }
}
