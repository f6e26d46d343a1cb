// reduce.h against plain float64 loops.
#include "kernels/reduce.h"

#include <memory>

#include "kernels/threads.h"
#include "tests/kernels/kernel_testing.h"

namespace {

using gradlab::Device;
using gradlab::ReduceOp;
using namespace gradlab::test;

// `reduced` dimensions of out have size 1 and stride 0.
struct Problem {
  Layout in;
  std::vector<char> reduced;
  Layout out;
};

Problem problem(const Layout& in, const std::vector<char>& reduced) {
  std::vector<std::int64_t> kept = in.sizes;
  for (std::size_t d = 0; d < kept.size(); ++d) kept[d] = reduced[d] ? 1 : kept[d];
  return {in, reduced, dense_layout(kept)};
}

template <class T>
Host<T> reduce(Device device, ReduceOp op, const Problem& p, const Host<T>& values, std::int64_t offset = 0) {
  Array<T> in(device, values, offset), out(device, p.out.block);
  const auto flags = std::make_unique<bool[]>(p.reduced.size() + 1);
  for (std::size_t d = 0; d < p.reduced.size(); ++d) flags[d] = p.reduced[d] != 0;
  gradlab::reduce(device, op, p.in.extent(), flags.get(), {out.data(), dtype_of<T>(), p.out.strides.data()},
                  {in.data(), dtype_of<T>(), p.in.strides.data()});
  return out.host();
}

template <class T>
std::vector<double> expected(ReduceOp op, const Problem& p, const Host<T>& values) {
  const double start = op == ReduceOp::kSum ? 0 : op == ReduceOp::kMax ? -HUGE_VAL : HUGE_VAL;
  std::vector<double> results(static_cast<std::size_t>(p.out.block), start);
  for (std::int64_t i = 0; i < p.in.count(); ++i) {
    std::int64_t rest = i, at = 0;
    for (std::size_t d = p.in.sizes.size(); d-- > 0; rest /= p.in.sizes[d]) {
      if (!p.reduced[d]) at += rest % p.in.sizes[d] * p.out.strides[d];
    }
    double& result = results[static_cast<std::size_t>(at)];
    const double v = static_cast<double>(values[static_cast<std::size_t>(p.in.offset(i))]);
    if (std::isnan(v) || std::isnan(result)) {
      result = std::nan("");
    } else {
      result = op == ReduceOp::kSum ? result + v : op == ReduceOp::kMax ? std::max(result, v) : std::min(result, v);
    }
  }
  if (std::is_same_v<T, bool>) {
    for (double& result : results) result = result != 0 ? 1 : 0;
  }
  return results;
}

template <class T>
void check_problem(Device device, const Problem& p, const Host<T>& values, std::int64_t offset = 0) {
  for (const ReduceOp op : {ReduceOp::kSum, ReduceOp::kMax, ReduceOp::kMin}) {
    if (op != ReduceOp::kSum && p.in.count() == 0) continue;
    CAPTURE(static_cast<int>(op));
    const auto result = reduce<T>(device, op, p, values, offset);
    const auto want = expected<T>(op, p, values);
    bool right = result.size() == want.size();
    for (std::size_t i = 0; right && i < want.size(); ++i) {
      right = close(static_cast<double>(result[i]), want[i], std::is_same_v<T, float> ? 2e-5 : 1e-11);
    }
    CHECK(right);
  }
}

template <class T>
void check_random_problems(Device device) {
  std::mt19937 generator(21);
  for (int round = 0; round < 80; ++round) {
    CAPTURE(round);
    const auto sizes = random_sizes(generator);
    const Layout in = random_layout(generator, sizes, true);
    std::vector<char> reduced(sizes.size());
    for (char& flag : reduced) flag = generator() % 2 == 0;
    check_problem<T>(device, problem(in, reduced), random_values<T>(in.block, generator()));
  }
}

void check_layouts(Device device) {
  check_random_problems<float>(device);
  check_random_problems<double>(device);
  check_random_problems<std::int32_t>(device);
  check_random_problems<std::int64_t>(device);
  check_random_problems<bool>(device);
}

void check_sizes(Device device) {
  for (const std::int64_t n : kSizes) {
    CAPTURE(n);
    check_problem<float>(device, problem(dense_layout({n}), {1}), random_values<float>(n, 22));
    check_problem<float>(device, problem(dense_layout({n}), {1}), random_values<float>(n, 22), 1);
    check_problem<double>(device, problem(dense_layout({n}), {1}), random_values<double>(n, 23));
  }
  const std::vector<std::vector<std::int64_t>> shapes = {{1000, 300}, {3, 200'000}, {200'000, 3}, {40, 7, 500}, {50'000, 33}};
  for (const auto& sizes : shapes) {
    const Layout in = dense_layout(sizes);
    const auto values = random_values<float>(in.block, 24);
    for (std::size_t d = 0; d < sizes.size(); ++d) {
      std::vector<char> reduced(sizes.size(), 0);
      reduced[d] = 1;
      CAPTURE(sizes[0]);
      CAPTURE(d);
      check_problem<float>(device, problem(in, reduced), values);
    }
  }
}

void check_expanded(Device device) {
  Layout everywhere{{1000, 1000}, {0, 0}, 1};
  CHECK(reduce<float>(device, ReduceOp::kSum, problem(everywhere, {1, 1}), {0.5f})[0] == 500'000.0f);
  Layout every_third{{70'000}, {3}, 210'000};
  check_problem<float>(device, problem(every_third, {1}), random_values<float>(210'000, 25));
}

void check_nan_is_kept(Device device) {
  auto values = random_values<float>(5000, 26);
  values[4321] = kNan;
  const Problem p = problem(dense_layout({5000}), {1});
  for (const ReduceOp op : {ReduceOp::kSum, ReduceOp::kMax, ReduceOp::kMin}) CHECK(std::isnan(reduce<float>(device, op, p, values)[0]));
}

void check_long_sum(Device device) {
  const std::int64_t n = 1 << 22;
  const float tenth = 0.1f;
  const Problem p = problem(dense_layout({n}), {1});
  const float sum = reduce<float>(device, ReduceOp::kSum, p, Host<float>(static_cast<std::size_t>(n), tenth))[0];
  CHECK(std::fabs(static_cast<double>(sum) - static_cast<double>(n) * static_cast<double>(tenth)) <= 0.2);
}

void check_same_bits(Device device) {
  const std::int64_t n = 3'000'001;
  const auto values = random_values<float>(n, 27);
  const Problem p = problem(dense_layout({n}), {1});
  const int before = gradlab::num_threads();
  const float first = reduce<float>(device, ReduceOp::kSum, p, values)[0];
  for (const int threads : {1, 2, 5}) {
    gradlab::set_num_threads(threads);
    for (int round = 0; round < 3; ++round) CHECK(same_bits(reduce<float>(device, ReduceOp::kSum, p, values)[0], first));
  }
  gradlab::set_num_threads(before);
}

GRADLAB_ON_EACH_DEVICE("reductions agree with float64 over any layout and any set of dimensions", check_layouts)
GRADLAB_ON_EACH_DEVICE("reductions agree with float64 at every size, long rows and long columns", check_sizes)
GRADLAB_ON_EACH_DEVICE("an expanded or strided tensor is summed element by element", check_expanded)
GRADLAB_ON_EACH_DEVICE("one nan makes the sum, the maximum and the minimum nan", check_nan_is_kept)
GRADLAB_ON_EACH_DEVICE("a float32 sum of four million tenths is right to the last bits", check_long_sum)
GRADLAB_ON_EACH_DEVICE("a sum has the same bits from run to run and on any number of threads", check_same_bits)

}  // namespace
