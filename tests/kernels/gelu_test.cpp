// gelu.h against float64 on every device and instruction set.
#include "kernels/gelu.h"

#include "kernels/gelu_simd.h"
#include "kernels/threads.h"
#include "tests/kernels/kernel_testing.h"

namespace {

using gradlab::Device;
using gradlab::SimdLevel;
using namespace gradlab::test;

long double cdf(long double x) { return 0.5L * std::erfc(-x / std::sqrt(2.0L)); }
double gelu_reference(double x) { return static_cast<double>(x * cdf(x)); }
double slope_reference(double x) {
  const long double wide = x;
  return static_cast<double>(cdf(wide) + wide * std::exp(-wide * wide / 2) / std::sqrt(2 * 3.14159265358979323846L));
}

// Allowed error over max(1, |x|).
template <class T>
double tolerance(Device device) {
  if (std::is_same_v<T, double>) return 1e-15;
  return device == Device::kCpu ? 9e-8 : 2e-7;
}

template <class T>
void check_forward(Device device, const std::vector<T>& x, std::int64_t x_offset, std::int64_t out_offset) {
  Array<T> in(device, x, x_offset), out(device, static_cast<std::int64_t>(x.size()), out_offset);
  gradlab::gelu_forward(device, in.data(), out.data(), static_cast<std::int64_t>(x.size()));
  const auto result = out.host();
  bool all_close = true;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double expected = gelu_reference(static_cast<double>(x[i]));
    const double size = std::max(1.0, std::fabs(static_cast<double>(x[i])));
    const bool right = close(result[i], expected, tolerance<T>(device) * size);
    if (!right) INFO("gelu(" << x[i] << ") = " << result[i] << ", expected " << expected);
    all_close = all_close && right;
  }
  CHECK(all_close);
}

template <class T>
void check_backward(Device device, const std::vector<T>& grad, const std::vector<T>& x, std::int64_t grad_offset,
                    std::int64_t x_offset, std::int64_t out_offset) {
  const bool expanded = grad.size() == 1 && x.size() != 1;
  Array<T> gradient(device, grad, grad_offset), in(device, x, x_offset);
  Array<T> out(device, static_cast<std::int64_t>(x.size()), out_offset);
  gradlab::gelu_backward(device, gradient.data(), expanded ? 0 : 1, in.data(), out.data(),
                         static_cast<std::int64_t>(x.size()));
  const auto result = out.host();
  bool all_close = true;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double factor = static_cast<double>(grad[expanded ? 0 : i]);
    const double expected = factor * slope_reference(static_cast<double>(x[i]));
    all_close = all_close && close(result[i], expected, 2 * tolerance<T>(device) * std::max(1.0, std::fabs(factor)));
  }
  CHECK(all_close);
}

template <class T>
void check_sizes(Device device) {
  for (const std::int64_t n : kSizes) {
    CAPTURE(n);
    const auto x = random_values<T>(n, 1, 3.0);
    check_forward<T>(device, x, 0, 0);
    check_backward<T>(device, random_values<T>(n, 2), x, 0, 0, 0);
    check_backward<T>(device, {T(0.75)}, x, 0, 0, 0);
  }
}

void check_random_inputs(Device device) {
  check_sizes<float>(device);
  check_sizes<double>(device);
}

void check_unaligned_starts(Device device) {
  for (const std::int64_t n : {1, 2, 5, 1025, 70001}) {
    const auto x = random_values<float>(n, 3), grad = random_values<float>(n, 4);
    for (const std::int64_t a : {0, 1, 2, 3}) {
      for (const std::int64_t b : {0, 1, 3}) {
        CAPTURE(n);
        check_forward<float>(device, x, a, b);
        check_backward<float>(device, grad, x, a, b, b);
        check_backward<float>(device, grad, x, b, b, b);
        check_backward<float>(device, {-2.0f}, x, a, a, b);
      }
    }
    check_forward<double>(device, random_values<double>(n, 5), 1, 1);
    check_forward<double>(device, random_values<double>(n, 5), 1, 0);
  }
}

void check_special_values(Device device) {
  Array<float> x(device, kSpecial), out(device, static_cast<std::int64_t>(kSpecial.size()));
  const auto n = static_cast<std::int64_t>(kSpecial.size());
  gradlab::gelu_forward(device, x.data(), out.data(), n);
  const auto forward = out.host();
  Array<float> one(device, std::vector<float>{1.0f});
  gradlab::gelu_backward(device, one.data(), 0, x.data(), out.data(), n);
  const auto slope = out.host();
  // As PyTorch 2.13: x * cdf(x) is inf at inf and -inf * 0 = nan at -inf; the slope holds inf * 0 at both.
  for (std::size_t i = 0; i < kSpecial.size(); ++i) {
    const float v = kSpecial[i];
    CAPTURE(v);
    if (std::isnan(v) || v == -kInf) {
      CHECK(std::isnan(forward[i]));
      CHECK(std::isnan(slope[i]));
    } else if (v == kInf) {
      CHECK(forward[i] == kInf);
      CHECK(std::isnan(slope[i]));
    } else if (v >= 13.0f) {
      CHECK(forward[i] == v);
      CHECK(slope[i] == 1.0f);
    } else if (v <= -13.0f) {
      CHECK(forward[i] == 0.0f);
      CHECK(std::fabs(slope[i]) < 1e-35f);
    } else if (std::fabs(v) < 1e-30f) {
      CHECK(forward[i] == v * 0.5f);
      CHECK(slope[i] == 0.5f);
    }
    // A zero keeps x's sign, as in PyTorch, whose AVX2 code alone gives +0 for more than one element.
    if (device == Device::kCpu && forward[i] == 0.0f) CHECK(std::signbit(forward[i]) == std::signbit(v));
  }
}

void check_in_place(Device device) {
  for (const std::int64_t n : {1, 5, 8, 13, 1025}) {
    const auto x = random_values<float>(n, 6);
    Array<float> separate(device, x), out(device, n), both(device, x);
    gradlab::gelu_forward(device, separate.data(), out.data(), n);
    gradlab::gelu_forward(device, both.data(), both.data(), n);
    CHECK(both.host() == out.host());
  }
}

void check_scale(Device device) {
  for (const std::int64_t n : {0, 1, 1025, 300001}) {
    const auto x = random_values<float>(n, 7);
    Array<float> scaled(device, x, 1);
    gradlab::scale_in_place(device, scaled.data(), 10.0, n);
    const auto result = scaled.host();
    bool equal = true;
    for (std::size_t i = 0; i < x.size(); ++i) equal = equal && result[i] == x[i] * 10.0f;
    CHECK(equal);
  }
  Array<double> wide(device, std::vector<double>{1.5, -2.0});
  gradlab::scale_in_place(device, wide.data(), 0.5, 2);
  CHECK(wide.host() == std::vector<double>{0.75, -1.0});
}

void check_nothing_else_is_written(Device device) {
  for (const std::int64_t n : {1, 3, 1027, 65535, 65536, 66559, 70001}) {
    const auto x = random_values<float>(n, 11);
    for (std::int64_t before = 0; before < 5; ++before) {
      CAPTURE(n);
      CAPTURE(before);
      Array<float> in(device, x, before), one(device, std::vector<float>{2.0f}), forward(device, n + 16), backward(device, n + 16);
      gradlab::gelu_forward(device, in.data(), forward.data() + before, n);
      gradlab::gelu_backward(device, one.data(), 0, in.data(), backward.data() + before, n);
      const auto y = forward.host(), slope = backward.host();
      bool right = true;
      for (std::int64_t i = 0; i < n + 16; ++i) {
        const auto at = static_cast<std::size_t>(i);
        const bool inside = i >= before && i < before + n;
        right = right && is_poison(y[at]) != inside && is_poison(slope[at]) != inside;
      }
      CHECK(right);
    }
  }
}

// Runs f with each instruction set this CPU has; the best one is back afterwards.
template <class F>
void with_each_level(const F& f) {
  for (const SimdLevel level : {SimdLevel::kBaseline, SimdLevel::kAvx2, SimdLevel::kAvx512}) {
    if (gradlab::set_simd_level(level)) f(level);
  }
}

GRADLAB_ON_EACH_DEVICE("gelu and its gradient agree with float64 at every size", check_random_inputs)
GRADLAB_ON_EACH_DEVICE("gelu takes arrays that start anywhere", check_unaligned_starts)
GRADLAB_ON_EACH_DEVICE("gelu at zeros, infinities, nan, denormals and far out is what PyTorch gives", check_special_values)
GRADLAB_ON_EACH_DEVICE("gelu may write over its input", check_in_place)
GRADLAB_ON_EACH_DEVICE("gelu writes its n elements and nothing else", check_nothing_else_is_written)
GRADLAB_ON_EACH_DEVICE("scale_in_place multiplies every element and no other", check_scale)

TEST_CASE("gelu is right on every instruction set") {
  with_each_level([](SimdLevel level) {
    CAPTURE(static_cast<int>(level));
    check_random_inputs(Device::kCpu);
    check_unaligned_starts(Device::kCpu);
    check_special_values(Device::kCpu);
    check_in_place(Device::kCpu);
  });
}

TEST_CASE("a result of gelu depends neither on the element's place nor on the instruction set") {
  const std::int64_t n = 1003;
  const auto x = random_values<float>(n, 8, 2.0), grad = random_values<float>(n, 9);
  std::vector<float> first, first_back;
  with_each_level([&](SimdLevel level) {
    CAPTURE(static_cast<int>(level));
    std::vector<float> whole(x.size()), whole_back(x.size());
    gradlab::gelu_forward(Device::kCpu, x.data(), whole.data(), n);
    gradlab::gelu_backward(Device::kCpu, grad.data(), 1, x.data(), whole_back.data(), n);
    for (std::size_t i = 0; i < x.size(); ++i) {
      float alone, alone_back;
      gradlab::gelu_forward(Device::kCpu, &x[i], &alone, 1);
      gradlab::gelu_backward(Device::kCpu, &grad[i], 1, &x[i], &alone_back, 1);
      REQUIRE(same_bits(alone, whole[i]));
      REQUIRE(same_bits(alone_back, whole_back[i]));
    }
    if (first.empty()) {
      first = whole;
      first_back = whole_back;
    }
    CHECK(whole == first);
    CHECK(whole_back == first_back);
  });
}

TEST_CASE("gelu's largest errors stay below those of PyTorch 2.13 in every part of the range") {
  // Largest |error| of torch 2.13.0's CPU gelu and gelu_backward against float64, from a sweep of 2 million points.
  struct Part {
    float low, high;
    double forward, slope;
  };
  const Part parts[] = {{-7, -5, 8.28e-8, 2.99e-8}, {-5, -3, 2.60e-7, 1.04e-7}, {-3, -1, 2.55e-7, 1.64e-7}, {-1, 0, 1.14e-7, 2.66e-7},
                        {0, 1, 1.38e-7, 2.87e-7},   {1, 3, 3.68e-7, 2.22e-7},   {3, 7, 3.75e-7, 1.74e-7}};
  with_each_level([&](SimdLevel level) {
    for (const Part& part : parts) {
      const std::int64_t n = 100'000;
      std::vector<float> x(n), forward(n), slope(n);
      for (std::int64_t i = 0; i < n; ++i) {
        x[static_cast<std::size_t>(i)] = part.low + (part.high - part.low) * static_cast<float>(i) / static_cast<float>(n);
      }
      const float one = 1.0f;
      gradlab::gelu_forward(Device::kCpu, x.data(), forward.data(), n);
      gradlab::gelu_backward(Device::kCpu, &one, 0, x.data(), slope.data(), n);
      double forward_error = 0, slope_error = 0;
      for (std::size_t i = 0; i < x.size(); ++i) {
        const double v = static_cast<double>(x[i]);
        forward_error = std::max(forward_error, std::fabs(static_cast<double>(forward[i]) - gelu_reference(v)));
        slope_error = std::max(slope_error, std::fabs(static_cast<double>(slope[i]) - slope_reference(v)));
      }
      CAPTURE(static_cast<int>(level));
      CAPTURE(part.low);
      CHECK(forward_error <= part.forward);
      CHECK(slope_error <= part.slope);
    }
  });
}

TEST_CASE("gelu has the same bits on one thread and on several") {
  const std::int64_t n = (1 << 18) + 77;
  const auto x = random_values<float>(n, 10);
  std::vector<float> one(x.size()), several(x.size());
  const int before = gradlab::num_threads();
  gradlab::set_num_threads(1);
  gradlab::gelu_forward(Device::kCpu, x.data(), one.data(), n);
  gradlab::set_num_threads(3);
  gradlab::gelu_forward(Device::kCpu, x.data(), several.data(), n);
  gradlab::set_num_threads(before);
  CHECK(one == several);
}

}  // namespace
