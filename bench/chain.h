// A chain of nodes over a tensor of one float, timed node by node.
#pragma once

#include "bench/timing.h"
#include "src/autograd/function.h"

namespace gradlab::bench {

// A custom Function that saves its input and asks for it again, around one multiplication.
struct Times1 : Function<Times1> {
  static Tensor forward(Context& ctx, const Tensor& x) {
    ctx.save_for_backward(x);
    return x * 1.0;
  }
  static Tensor backward(Context& ctx, const Tensor& grad_output) {
    const TensorList saved = ctx.saved_tensors();
    benchmark::DoNotOptimize(saved[0].impl());
    return grad_output;
  }
};

// Two kinds of node: the custom one above, and the built-in mul by a tensor that needs no gradient.
struct CustomStep {
  Tensor operator()(const Tensor& y) const { return Times1::apply(y); }
};
struct MulStep {
  Tensor factor = ones({1});
  Tensor operator()(const Tensor& y) const { return y * factor; }
};

// Each for one node, in ns: recording it, walking it backward, freeing the graph.
struct ChainTimes {
  double forward, backward, destroy;
};

template <class Step>
ChainTimes time_chain(const Step& step, std::int64_t depth) {
  Tensor x = ones({1}, {.requires_grad = true});
  const auto begin = Clock::now();
  Tensor y = x;
  for (std::int64_t i = 0; i < depth; ++i) y = step(y);
  const auto recorded = Clock::now();
  y.backward();
  const auto walked = Clock::now();
  y = Tensor();
  const auto freed = Clock::now();
  const auto nodes = static_cast<double>(depth);
  return {ns_between(begin, recorded) / nodes, ns_between(recorded, walked) / nodes, ns_between(walked, freed) / nodes};
}

// Chains of state.range(0) nodes, one after another. Counters: the medians.
template <class Step>
void run_chains(benchmark::State& state, const Step& step) {
  const std::int64_t depth = state.range(0);
  std::vector<double> forward, backward, destroy;
  for (auto _ : state) {
    const ChainTimes times = time_chain(step, depth);
    state.SetIterationTime((times.forward + times.backward + times.destroy) * static_cast<double>(depth) * 1e-9);
    forward.push_back(times.forward);
    backward.push_back(times.backward);
    destroy.push_back(times.destroy);
  }
  state.counters["forward_ns"] = median(forward);
  state.counters["backward_ns"] = median(backward);
  state.counters["destroy_ns"] = median(destroy);
}

}  // namespace gradlab::bench
