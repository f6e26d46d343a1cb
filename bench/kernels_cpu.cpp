// GELU on the CPU: NAME/n/threads. The counter "ns" is for one op; those of ..._errors are what they say.
#include <cmath>
#include <numbers>

#include "bench/gelu_cases.h"
#include "kernels/threads.h"

namespace gradlab::bench {
namespace {

// The largest and the mean absolute error of float32 results against float64 ones over [-12, 12].
template <class Kernel, class Exact>
void count_errors(benchmark::State& state, Kernel kernel, Exact exact) {
  constexpr std::int64_t n = 1 << 20;
  std::vector<float> x(n), out(n);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(24.0 * static_cast<double>(i) / n - 12.0);
  double largest = 0, total = 0;
  for (auto _ : state) {
    kernel(x.data(), out.data(), n);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double error = std::abs(static_cast<double>(out[i]) - exact(static_cast<double>(x[i])));
      largest = std::max(largest, error);
      total += error;
    }
  }
  state.counters["largest"] = largest;
  state.counters["mean"] = total / n;
}

double cdf(double x) { return 0.5 * std::erfc(-x / std::numbers::sqrt2); }
double pdf(double x) { return std::exp(-0.5 * x * x) * std::numbers::inv_sqrtpi / std::numbers::sqrt2; }

void forward_errors(benchmark::State& state) {
  const auto kernel = [](const float* x, float* out, std::int64_t n) { gelu_forward(Device::kCpu, x, out, n); };
  count_errors(state, kernel, [](double x) { return x * cdf(x); });
}

void backward_errors(benchmark::State& state) {
  const float one = 1;
  const auto kernel = [&](const float* x, float* out, std::int64_t n) {
    gelu_backward(Device::kCpu, &one, 0, x, out, n);
  };
  count_errors(state, kernel, [](double x) { return cdf(x) + x * pdf(x); });
}

BENCHMARK(forward_errors)->Iterations(1);
BENCHMARK(backward_errors)->Iterations(1);

}  // namespace
}  // namespace gradlab::bench

int main(int argc, char** argv) {
  using namespace gradlab;
  constexpr std::int64_t k20 = 1 << 20, k24 = 1 << 24;
  const auto set_threads = [](std::int64_t count) { set_num_threads(static_cast<int>(count)); };
  bench::register_cases(bench::kCases, Device::kCpu, {1, 33, 1023, 1024, 1025, 65'537, k20, k20 + 1, k24}, {1, 2},
                        set_threads);
  bench::register_cases(bench::kMatrixCases, Device::kCpu, {k20, k24}, {1, 2}, set_threads);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
}
