// What kernels_cpu.cpp and cuda.cpp time: one op each, under the names that bench/torch_kernels.py has for PyTorch's.
#pragma once

#include <bit>
#include <cstdint>
#include <functional>
#include <random>
#include <span>
#include <vector>

#include "bench/timing.h"
#include "kernels/elementwise.h"
#include "kernels/gelu.h"
#include "kernels/memory.h"
#include "scenarios/functions.h"

namespace gradlab::bench {

// Runs the op once, on inputs made beforehand.
using Op = std::function<void()>;

struct Case {
  const char* name;
  Op (*make)(Device device, std::int64_t n);
};

// Normal random float32 numbers, a million different ones at most.
inline Tensor random_values(Device device, const Shape& shape, unsigned seed) {
  const Tensor out = empty(shape, {.device = device});
  const auto n = static_cast<std::size_t>(out.numel());
  std::vector<float> block(std::min(n, std::size_t{1} << 20));
  std::mt19937 generator(seed);
  std::normal_distribution<float> normal;
  for (float& value : block) value = normal(generator);
  auto* data = out.data_ptr<float>();
  copy_bytes(device, data, Device::kCpu, block.data(), block.size() * sizeof(float));
  for (std::size_t filled = block.size(); filled < n;) {
    const std::size_t count = std::min(filled, n - filled);
    copy_bytes(device, data + filled, device, data, count * sizeof(float));
    filled += count;
  }
  return out;
}

// The chapter's Function with both kernels.
struct FusedGELU : Function<FusedGELU> {
  static Tensor forward(Context& ctx, const Tensor& x) {
    ctx.save_for_backward(x);
    return gelu_exact(x);
  }
  static Tensor backward(Context& ctx, const Tensor& grad_output) {
    const Tensor x = ctx.saved_tensors()[0];
    Tensor out = empty_like(x);
    gelu_backward(x.device(), grad_output.data_ptr<float>(), grad_output.strides()[0], x.data_ptr<float>(),
                  out.data_ptr<float>(), x.numel());
    return out;
  }
};

namespace cases {

inline Op copy(Device device, std::int64_t n) {
  const Tensor x = random_values(device, {n}, 1), out = empty_like(x);
  const std::size_t bytes = static_cast<std::size_t>(n) * sizeof(float);
  return [=] { copy_bytes(device, out.data_ptr(), device, x.data_ptr(), bytes); };
}

// "into" writes into one given output; "fresh" makes its output and drops it before the next op.
inline Op forward_into(Device device, std::int64_t n) {
  const Tensor x = random_values(device, {n}, 1), out = empty_like(x);
  return [=] { gelu_forward(device, x.data_ptr<float>(), out.data_ptr<float>(), n); };
}

inline Op forward_fresh(Device device, std::int64_t n) {
  const Tensor x = random_values(device, {n}, 1);
  return [=] {
    const NoGradGuard no_grad;
    benchmark::DoNotOptimize(x.gelu().impl());
  };
}

inline Op backward_into(Device device, std::int64_t n) {
  const Tensor x = random_values(device, {n}, 1), grad = random_values(device, {n}, 2), out = empty_like(x);
  return [=] { gelu_backward(device, grad.data_ptr<float>(), 1, x.data_ptr<float>(), out.data_ptr<float>(), n); };
}

inline Op backward_fresh(Device device, std::int64_t n) {
  const Tensor x = random_values(device, {n}, 1), grad = random_values(device, {n}, 2);
  return [=] {
    const Tensor out = empty_like(x);
    gelu_backward(device, grad.data_ptr<float>(), 1, x.data_ptr<float>(), out.data_ptr<float>(), n);
  };
}

// One value for all elements, as y.sum().backward() hands it over.
inline Op backward_expanded(Device device, std::int64_t n) {
  const Tensor x = random_values(device, {n}, 1), grad = random_values(device, {1}, 2);
  return [=] {
    const Tensor out = empty_like(x);
    gelu_backward(device, grad.data_ptr<float>(), 0, x.data_ptr<float>(), out.data_ptr<float>(), n);
  };
}

// The chapter's backward, op by op.
inline Op backward_arithmetic(Device device, std::int64_t n) {
  const Tensor x = random_values(device, {n}, 1), grad = random_values(device, {n}, 2);
  return [=] {
    const NoGradGuard no_grad;
    benchmark::DoNotOptimize(gelu_exact_gradient(x, grad).impl());
  };
}

inline Op sum(Device device, std::int64_t n) {
  const Tensor x = random_values(device, {n}, 1);
  return [=] { benchmark::DoNotOptimize(x.sum().impl()); };
}

// Forward, sum, backward with the built-in op, and with the chapter's Function around the two kernels.
inline Op step(Device device, std::int64_t n) {
  const Tensor x = random_values(device, {n}, 1).requires_grad_();
  return [=] {
    x.gelu().sum().backward();
    x.set_grad({});
  };
}

inline Op step_function(Device device, std::int64_t n) {
  const Tensor x = random_values(device, {n}, 1).requires_grad_();
  return [=] {
    FusedGELU::apply(x).sum().backward();
    x.set_grad({});
  };
}

// Inputs and outputs that start one element after an aligned address.
inline Op forward_unaligned(Device device, std::int64_t n) {
  const Tensor x = random_values(device, {n + 1}, 1), out = empty_like(x);
  return [=] { gelu_forward(device, x.data_ptr<float>() + 1, out.data_ptr<float>() + 1, n); };
}

inline Op backward_unaligned(Device device, std::int64_t n) {
  const Tensor x = random_values(device, {n + 1}, 1), grad = random_values(device, {n + 1}, 2), out = empty_like(x);
  return [=] {
    gelu_backward(device, grad.data_ptr<float>() + 1, 1, x.data_ptr<float>() + 1, out.data_ptr<float>() + 1, n);
  };
}

// The sides of a matrix of n = 2^k elements, as square as can be.
inline Shape matrix_of(std::int64_t n) {
  const std::int64_t rows = std::int64_t{1} << (std::bit_width(static_cast<std::uint64_t>(n)) / 2);
  return {rows, n / rows};
}

// The left half of a matrix.
inline Op forward_sliced(Device device, std::int64_t n) {
  const Shape half = matrix_of(n);
  const Tensor x = random_values(device, {half[0], 2 * half[1]}, 1).narrow(1, 0, half[1]);
  return [=] {
    const NoGradGuard no_grad;
    benchmark::DoNotOptimize(x.gelu().impl());
  };
}

// A gradient that lies across x.
inline Op backward_transposed(Device device, std::int64_t n) {
  const Shape shape = matrix_of(n);
  const Tensor x = random_values(device, shape, 1), grad = random_values(device, {shape[1], shape[0]}, 2).t();
  return [=] {
    const Tensor out = empty_like(x);
    binary(device, BinaryOp::kGeluBackward, {2, shape.data()}, {out.data_ptr(), out.dtype(), out.strides().data()},
           {grad.data_ptr(), grad.dtype(), grad.strides().data()}, {x.data_ptr(), x.dtype(), x.strides().data()});
  };
}

}  // namespace cases

inline constexpr Case kCases[] = {
    {"copy", cases::copy},
    {"forward_into", cases::forward_into},
    {"forward_fresh", cases::forward_fresh},
    {"backward_into", cases::backward_into},
    {"backward_fresh", cases::backward_fresh},
    {"backward_expanded", cases::backward_expanded},
    {"backward_arithmetic", cases::backward_arithmetic},
    {"sum", cases::sum},
    {"step", cases::step},
    {"step_function", cases::step_function},
    {"forward_unaligned", cases::forward_unaligned},
    {"backward_unaligned", cases::backward_unaligned},
};

// For n = 2^k.
inline constexpr Case kMatrixCases[] = {
    {"forward_sliced", cases::forward_sliced},
    {"backward_transposed", cases::backward_transposed},
};

// Registers each case for each size and number of threads, as NAME/n/threads.
inline void register_cases(std::span<const Case> all, Device device, const std::vector<std::int64_t>& sizes,
                           const std::vector<std::int64_t>& threads, void (*set_threads)(std::int64_t)) {
  for (const Case& each : all) {
    benchmark::RegisterBenchmark(each.name,
                                 [=, make = each.make](benchmark::State& state) {
                                   set_threads(state.range(1));
                                   measure(state, device, make(device, state.range(0)));
                                 })
        ->ArgsProduct({sizes, threads})
        ->UseManualTime();
  }
}

}  // namespace gradlab::bench
