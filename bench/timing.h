// How every benchmark here takes its time. bench/torch_kernels.py and bench/libtorch/nodes.cpp take theirs the same
// way.
#pragma once

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <vector>

#include "kernels/device.h"

namespace gradlab::bench {

using Clock = std::chrono::steady_clock;

inline double ns_between(Clock::time_point begin, Clock::time_point end) {
  return std::chrono::duration<double, std::nano>(end - begin).count();
}

// Of a non-empty list, which it reorders.
inline double median(std::vector<double>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// Runs `op` in batches long enough that waiting for the device once a batch does not count, after a warm-up of two
// batches or more. The counter "ns" is the median over the batches of the time one op took: a core taken away for a
// while spoils a batch, not the result. The benchmark must use manual time.
template <class Op>
void measure(benchmark::State& state, Device device, Op op) {
  const auto time_batch = [&](std::int64_t count) {
    const auto begin = Clock::now();
    for (std::int64_t i = 0; i < count; ++i) op();
    synchronize(device);
    return ns_between(begin, Clock::now());
  };

  const double batch_ns = device == Device::kCuda ? 10e6 : 1e6;
  std::int64_t count = 1;
  op();
  synchronize(device);
  while (time_batch(count) < batch_ns) count *= 2;

  std::vector<double> times;
  while (state.KeepRunningBatch(count)) {
    const double elapsed_ns = time_batch(count);
    state.SetIterationTime(elapsed_ns * 1e-9);
    times.push_back(elapsed_ns / static_cast<double>(count));
  }
  state.counters["ns"] = median(times);
}

}  // namespace gradlab::bench
