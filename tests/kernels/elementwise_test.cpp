// elementwise.h against plain loops, over random shapes and layouts.
#include "kernels/elementwise.h"

#include <functional>

#include "tests/kernels/kernel_testing.h"

namespace {

using gradlab::BinaryOp;
using gradlab::ConstOperand;
using gradlab::Device;
using gradlab::DType;
using gradlab::Operand;
using gradlab::UnaryOp;
using namespace gradlab::test;

double gelu_slope(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)) + x * std::exp(-x * x / 2) / std::sqrt(2 * M_PI); }

struct UnaryCase {
  UnaryOp op;
  std::function<double(double)> expected;
  bool exact = false;
};

const std::vector<UnaryCase>& unary_cases() {
  static const std::vector<UnaryCase> cases = {
      {UnaryOp::kCopy, [](double x) { return x; }, true},
      {UnaryOp::kNeg, [](double x) { return -x; }, true},
      {UnaryOp::kAbs, [](double x) { return std::fabs(x); }, true},
      {UnaryOp::kSign, [](double x) { return x > 0 ? 1.0 : x < 0 ? -1.0 : 0.0; }, true},
      {UnaryOp::kExp, [](double x) { return std::exp(x); }},
      {UnaryOp::kLog, [](double x) { return std::log(x); }},
      {UnaryOp::kSqrt, [](double x) { return std::sqrt(x); }},
      {UnaryOp::kTanh, [](double x) { return std::tanh(x); }},
      {UnaryOp::kSigmoid, [](double x) { return 1 / (1 + std::exp(-x)); }},
      {UnaryOp::kErf, [](double x) { return std::erf(x); }},
      {UnaryOp::kGelu, [](double x) { return x * 0.5 * std::erfc(-x / std::sqrt(2.0)); }},
      {UnaryOp::kReciprocal, [](double x) { return 1 / x; }},
      {UnaryOp::kRelu, [](double x) { return x < 0 ? 0.0 : x; }, true}};
  return cases;
}

struct BinaryCase {
  BinaryOp op;
  std::function<double(double, double)> expected;
};

double either_nan(double a, double b, double otherwise) { return std::isnan(a) || std::isnan(b) ? std::nan("") : otherwise; }

const std::vector<BinaryCase>& binary_cases() {
  static const std::vector<BinaryCase> cases = {
      {BinaryOp::kAdd, [](double a, double b) { return a + b; }},
      {BinaryOp::kSub, [](double a, double b) { return a - b; }},
      {BinaryOp::kMul, [](double a, double b) { return a * b; }},
      {BinaryOp::kDiv, [](double a, double b) { return a / b; }},
      {BinaryOp::kPow, [](double a, double b) { return std::pow(a, b); }},
      {BinaryOp::kMaximum, [](double a, double b) { return either_nan(a, b, std::max(a, b)); }},
      {BinaryOp::kMinimum, [](double a, double b) { return either_nan(a, b, std::min(a, b)); }},
      {BinaryOp::kGeluBackward, [](double a, double b) { return a * gelu_slope(b); }},
      {BinaryOp::kTanhBackward, [](double a, double b) { return a * (1 - b * b); }},
      {BinaryOp::kSigmoidBackward, [](double a, double b) { return a * b * (1 - b); }},
      {BinaryOp::kReluBackward, [](double a, double b) { return b <= 0 ? 0 : a; }}};
  return cases;
}

const std::vector<BinaryCase>& comparison_cases() {
  static const std::vector<BinaryCase> cases = {
      {BinaryOp::kEq, [](double a, double b) { return a == b; }}, {BinaryOp::kNe, [](double a, double b) { return a != b; }},
      {BinaryOp::kLt, [](double a, double b) { return a < b; }},  {BinaryOp::kLe, [](double a, double b) { return a <= b; }},
      {BinaryOp::kGt, [](double a, double b) { return a > b; }},  {BinaryOp::kGe, [](double a, double b) { return a >= b; }}};
  return cases;
}

template <class T>
double tolerance() {
  return std::is_same_v<T, float> ? 5e-7 : 1e-14;
}

template <class T>
Operand operand(Array<T>& array, const Layout& layout) {
  return {array.data(), dtype_of<T>(), layout.strides.data()};
}

template <class T>
ConstOperand const_operand(Array<T>& array, const Layout& layout) {
  return {array.data(), dtype_of<T>(), layout.strides.data()};
}

// Whether every element of `out` is close to expected(i) and everything between them still poisoned.
template <class T, class F>
bool only_elements_written(const Host<T>& out, const Layout& layout, double bound, const F& expected) {
  std::vector<char> addressed(out.size(), 0);
  bool right = true;
  for (std::int64_t i = 0; i < layout.count(); ++i) {
    const auto at = static_cast<std::size_t>(layout.offset(i));
    addressed[at] = 1;
    right = right && close(static_cast<double>(out[at]), expected(i), bound);
  }
  for (std::size_t i = 0; i < out.size(); ++i) right = right && (addressed[i] != 0 || is_poison(out[i]));
  return right;
}

template <class T>
double value(const Host<T>& block, const Layout& layout, std::int64_t i) {
  return static_cast<double>(block[static_cast<std::size_t>(layout.offset(i))]);
}

template <class T>
void check_unary_values(Device device) {
  for (const UnaryCase& c : unary_cases()) {
    CAPTURE(static_cast<int>(c.op));
    for (const std::int64_t n : kSizes) {
      const Layout layout = dense_layout({n});
      auto x = random_values<T>(n, 11);
      for (std::size_t i = 0; i < std::min(x.size(), kSpecial.size()); ++i) x[i] = static_cast<T>(kSpecial[i]);
      Array<T> in(device, x), out(device, n);
      gradlab::unary(device, c.op, layout.extent(), operand(out, layout), const_operand(in, layout));
      // exp(40) and the like are compared in the operand's range.
      CHECK(only_elements_written<T>(out.host(), layout, c.exact ? 0 : tolerance<T>(), [&](std::int64_t i) {
        if (c.op == UnaryOp::kGelu && value<T>(x, layout, i) == -std::numeric_limits<double>::infinity()) return std::nan("");
        return static_cast<double>(static_cast<T>(c.expected(value<T>(x, layout, i))));
      }));
    }
  }
}

void check_unary(Device device) {
  check_unary_values<float>(device);
  check_unary_values<double>(device);
}

template <class T, class R>
void check_binary_case(Device device, const BinaryCase& c, std::mt19937& generator) {
  const auto sizes = random_sizes(generator);
  const Layout out_layout = random_layout(generator, sizes, false), a_layout = random_layout(generator, sizes, true),
               b_layout = random_layout(generator, sizes, true);
  auto a = random_values<T>(a_layout.block, generator()), b = random_values<T>(b_layout.block, generator());
  if (c.op == BinaryOp::kPow) {
    for (auto& x : a) x = static_cast<T>(x < 0 ? -x : x);
  }
  Array<T> a_array(device, a), b_array(device, b);
  Array<R> out(device, out_layout.block);
  gradlab::binary(device, c.op, out_layout.extent(), operand(out, out_layout), const_operand(a_array, a_layout),
                  const_operand(b_array, b_layout));
  CHECK(only_elements_written<R>(out.host(), out_layout, std::is_same_v<R, T> ? 4 * tolerance<T>() : 0, [&](std::int64_t i) {
    return c.expected(value<T>(a, a_layout, i), value<T>(b, b_layout, i));
  }));
  // A scalar on either side.
  const double scalar = c.op == BinaryOp::kPow ? 1.25 : -0.75;
  Array<R> right(device, out_layout.block), left(device, out_layout.block);
  gradlab::binary_scalar(device, c.op, out_layout.extent(), operand(right, out_layout), const_operand(a_array, a_layout), scalar);
  gradlab::scalar_binary(device, c.op, out_layout.extent(), operand(left, out_layout), scalar, const_operand(a_array, a_layout));
  const double bound = std::is_same_v<R, T> ? 4 * tolerance<T>() : 0;
  CHECK(only_elements_written<R>(right.host(), out_layout, bound,
                                 [&](std::int64_t i) { return c.expected(value<T>(a, a_layout, i), scalar); }));
  CHECK(only_elements_written<R>(left.host(), out_layout, bound,
                                 [&](std::int64_t i) { return c.expected(scalar, value<T>(a, a_layout, i)); }));
}

void check_binary(Device device) {
  std::mt19937 generator(12);
  for (const BinaryCase& c : binary_cases()) {
    CAPTURE(static_cast<int>(c.op));
    for (int round = 0; round < 25; ++round) {
      CAPTURE(round);
      check_binary_case<float, float>(device, c, generator);
      check_binary_case<double, double>(device, c, generator);
    }
  }
  for (const BinaryCase& c : comparison_cases()) {
    CAPTURE(static_cast<int>(c.op));
    for (int round = 0; round < 10; ++round) {
      check_binary_case<float, bool>(device, c, generator);
      check_binary_case<double, bool>(device, c, generator);
    }
  }
}

template <class T>
void check_strided_unary(Device device, UnaryOp op, const std::function<double(double)>& expected) {
  std::mt19937 generator(13);
  for (int round = 0; round < 60; ++round) {
    CAPTURE(round);
    const auto sizes = random_sizes(generator);
    const Layout out_layout = random_layout(generator, sizes, false), in_layout = random_layout(generator, sizes, true);
    const auto x = random_values<T>(in_layout.block, generator());
    Array<T> in(device, x), out(device, out_layout.block);
    gradlab::unary(device, op, out_layout.extent(), operand(out, out_layout), const_operand(in, in_layout));
    CHECK(only_elements_written<T>(out.host(), out_layout, 4e-7, [&](std::int64_t i) { return expected(value<T>(x, in_layout, i)); }));
  }
}

void check_strided(Device device) {
  const auto same_value = [](double x) { return x; };
  check_strided_unary<float>(device, UnaryOp::kCopy, same_value);
  check_strided_unary<double>(device, UnaryOp::kCopy, same_value);
  check_strided_unary<std::int32_t>(device, UnaryOp::kCopy, same_value);
  check_strided_unary<std::int64_t>(device, UnaryOp::kCopy, same_value);
  check_strided_unary<bool>(device, UnaryOp::kCopy, same_value);
  check_strided_unary<float>(device, UnaryOp::kGelu, unary_cases()[10].expected);
  check_strided_unary<std::int64_t>(device, UnaryOp::kNeg, [](double x) { return -x; });
  check_strided_unary<std::int32_t>(device, UnaryOp::kSign, unary_cases()[3].expected);
  check_strided_unary<bool>(device, UnaryOp::kLogicalNot, [](double x) { return x == 0; });
}

template <class T>
std::vector<T> one_binary(Device device, BinaryOp op, const Host<T>& a, const Host<T>& b) {
  const Layout layout = dense_layout({static_cast<std::int64_t>(a.size())});
  Array<T> x(device, a), y(device, b), out(device, static_cast<std::int64_t>(a.size()));
  gradlab::binary(device, op, layout.extent(), operand(out, layout), const_operand(x, layout), const_operand(y, layout));
  const auto values = out.host();
  return std::vector<T>(values.begin(), values.end());
}

void check_integers_and_bools(Device device) {
  using Ints = std::vector<std::int32_t>;
  using Longs = std::vector<std::int64_t>;
  CHECK(one_binary<std::int32_t>(device, BinaryOp::kAdd, {INT32_MAX, 2}, {1, 3}) == Ints{INT32_MIN, 5});
  CHECK(one_binary<std::int64_t>(device, BinaryOp::kMul, {INT64_MAX, -4}, {2, 3}) == Longs{-2, -12});
  CHECK(one_binary<std::int64_t>(device, BinaryOp::kPow, {3, -2, 1, -1, 2, 0}, {4, 3, -5, -3, -1, 0}) == Longs{81, -8, 1, -1, 0, 1});
  CHECK(one_binary<std::int32_t>(device, BinaryOp::kMaximum, {3, -2}, {-4, 7}) == Ints{3, 7});
  CHECK(one_binary<bool>(device, BinaryOp::kAdd, {1, 1, 0, 0}, {1, 0, 1, 0}) == std::vector<bool>{true, true, true, false});
  CHECK(one_binary<bool>(device, BinaryOp::kMul, {1, 1, 0, 0}, {1, 0, 1, 0}) == std::vector<bool>{true, false, false, false});
}

void check_nan_wins(Device device) {
  const auto high = one_binary<float>(device, BinaryOp::kMaximum, {kNan, 1, 2}, {1, kNan, 3});
  const auto low = one_binary<float>(device, BinaryOp::kMinimum, {kNan, 1, 2}, {1, kNan, 3});
  CHECK(std::isnan(high[0]));
  CHECK(std::isnan(high[1]));
  CHECK(high[2] == 3);
  CHECK(std::isnan(low[0]));
  CHECK(std::isnan(low[1]));
  CHECK(low[2] == 2);
}

void check_power_short_cuts(Device device) {
  const std::int64_t n = 999;
  const Layout layout = dense_layout({n});
  auto x = random_values<float>(n, 14);
  Array<float> in(device, x), out(device, n);
  const auto all = [&](double exponent, auto expected) {
    gradlab::binary_scalar(device, BinaryOp::kPow, layout.extent(), operand(out, layout), const_operand(in, layout), exponent);
    const auto result = out.host();
    bool equal = true;
    for (std::size_t i = 0; i < x.size(); ++i) equal = equal && same(result[i], expected(x[i]));
    return equal;
  };
  CHECK(all(2, [](float v) { return v * v; }));
  CHECK(all(3, [](float v) { return v * v * v; }));
  CHECK(all(1, [](float v) { return v; }));
  CHECK(all(0.5, [](float v) { return std::sqrt(v); }));
  CHECK(all(-0.5, [](float v) { return 1 / std::sqrt(v); }));
  CHECK(all(-1, [](float v) { return 1 / v; }));
  CHECK(all(-2, [](float v) { return 1 / (v * v); }));
  CHECK(all(0, [](float) { return 1.0f; }));
}

// Bit for bit what PyTorch 2.13 gives on a processor with AVX2 or AVX-512.
void check_gradient_rounding(Device device) {
  CHECK(one_binary<float>(device, BinaryOp::kTanhBackward, {3.0f, 1.0f, -1.5f, 0.1f}, {0.9999f, 0.9f, -0.7f, 0.99f}) ==
        std::vector<float>{0x1.3a9bfap-11f, 0x1.851ebep-3f, -0x1.87ae14p-1f, 0x1.04d542p-9f});
  CHECK(one_binary<float>(device, BinaryOp::kSigmoidBackward, {3.0f, 1.0f, -1.5f, 0.1f}, {0.9999f, 0.9f, 0.7f, 0.99f}) ==
        std::vector<float>{0x1.3a97f2p-12f, 0x1.70a3dcp-4f, -0x1.428f5cp-2f, 0x1.0385b8p-10f});
}

void check_where_clamp_fill(Device device) {
  std::mt19937 generator(15);
  for (int round = 0; round < 40; ++round) {
    CAPTURE(round);
    const auto sizes = random_sizes(generator);
    const Layout out_layout = random_layout(generator, sizes, false), c_layout = random_layout(generator, sizes, true),
                 a_layout = random_layout(generator, sizes, true), b_layout = random_layout(generator, sizes, true);
    const auto c = random_values<bool>(c_layout.block, generator());
    const auto a = random_values<float>(a_layout.block, generator()), b = random_values<float>(b_layout.block, generator());
    Array<bool> condition(device, c);
    Array<float> first(device, a), second(device, b), out(device, out_layout.block), clamped(device, out_layout.block),
        filled(device, out_layout.block);
    gradlab::where(device, out_layout.extent(), operand(out, out_layout), const_operand(condition, c_layout),
                   const_operand(first, a_layout), const_operand(second, b_layout));
    CHECK(only_elements_written<float>(out.host(), out_layout, 0, [&](std::int64_t i) {
      return value<bool>(c, c_layout, i) != 0 ? value<float>(a, a_layout, i) : value<float>(b, b_layout, i);
    }));
    gradlab::clamp(device, out_layout.extent(), operand(clamped, out_layout), const_operand(first, a_layout), -0.5,
                   std::numeric_limits<double>::infinity());
    CHECK(only_elements_written<float>(clamped.host(), out_layout, 0,
                                       [&](std::int64_t i) { return std::max(-0.5, value<float>(a, a_layout, i)); }));
    gradlab::fill(device, out_layout.extent(), operand(filled, out_layout), 2.5);
    CHECK(only_elements_written<float>(filled.host(), out_layout, 0, [](std::int64_t) { return 2.5; }));
  }
  const Layout three = dense_layout({3});
  Array<std::int64_t> whole(device, std::vector<std::int64_t>{-5, 0, 5}), out(device, 3);
  gradlab::clamp(device, three.extent(), operand(out, three), const_operand(whole, three), -std::numeric_limits<double>::infinity(), 2);
  CHECK(out.host() == std::vector<std::int64_t>{-5, 0, 2});
  Array<float> odd(device, std::vector<float>{kNan, -kInf, 3}), odd_out(device, 3);
  gradlab::clamp(device, three.extent(), operand(odd_out, three), const_operand(odd, three), -1, 1);
  CHECK(std::isnan(odd_out.host()[0]));
  CHECK(odd_out.host()[1] == -1);
  CHECK(odd_out.host()[2] == 1);
}

template <class From, class To>
void check_conversion(Device device, std::mt19937& generator) {
  const auto sizes = random_sizes(generator);
  const Layout out_layout = random_layout(generator, sizes, false), in_layout = random_layout(generator, sizes, true);
  const auto x = random_values<From>(in_layout.block, generator(), 20.0);
  Array<From> in(device, x);
  Array<To> out(device, out_layout.block);
  gradlab::convert(device, out_layout.extent(), operand(out, out_layout), const_operand(in, in_layout));
  CHECK(only_elements_written<To>(out.host(), out_layout, 0, [&](std::int64_t i) {
    const double v = value<From>(x, in_layout, i);
    return static_cast<double>(std::is_same_v<To, bool> ? static_cast<To>(v != 0) : static_cast<To>(v));
  }));
}

template <class From>
void check_conversions_from(Device device, std::mt19937& generator) {
  for (int round = 0; round < 8; ++round) {
    check_conversion<From, float>(device, generator);
    check_conversion<From, double>(device, generator);
    check_conversion<From, std::int32_t>(device, generator);
    check_conversion<From, std::int64_t>(device, generator);
    check_conversion<From, bool>(device, generator);
  }
}

void check_conversions(Device device) {
  std::mt19937 generator(16);
  check_conversions_from<float>(device, generator);
  check_conversions_from<double>(device, generator);
  check_conversions_from<std::int32_t>(device, generator);
  check_conversions_from<std::int64_t>(device, generator);
  check_conversions_from<bool>(device, generator);
}

void check_output_may_be_an_input(Device device) {
  for (const std::int64_t n : {1, 3, 700, 300001}) {
    const Layout layout = dense_layout({n});
    const auto a = random_values<float>(n, 17), b = random_values<float>(n, 18);
    Array<float> x(device, a), y(device, b), separate(device, n);
    gradlab::binary(device, BinaryOp::kMul, layout.extent(), operand(separate, layout), const_operand(x, layout), const_operand(y, layout));
    gradlab::binary(device, BinaryOp::kMul, layout.extent(), operand(x, layout), const_operand(x, layout), const_operand(y, layout));
    CHECK(x.host() == separate.host());
  }
  // Transposed, in place.
  Layout transposed{{3, 5}, {1, 3}, 15};
  const auto a = random_values<float>(15, 19);
  Array<float> x(device, a);
  gradlab::binary_scalar(device, BinaryOp::kAdd, transposed.extent(), operand(x, transposed), const_operand(x, transposed), 1);
  const auto result = x.host();
  for (std::size_t i = 0; i < 15; ++i) CHECK(result[i] == a[i] + 1.0f);
}

// A dense layout of `sizes` whose dimensions lie in the order given, outermost first.
Layout permuted_layout(const std::vector<std::int64_t>& sizes, const std::vector<std::size_t>& order) {
  Layout layout{sizes, std::vector<std::int64_t>(sizes.size()), 1};
  for (std::size_t k = order.size(); k-- > 0; layout.block *= sizes[order[k]]) layout.strides[order[k]] = layout.block;
  return layout;
}

template <class T>
void check_transposed_values(Device device, const Layout& in, const Layout& straight) {
  const auto a = random_values<T>(in.block, 20), b = random_values<T>(straight.block, 21);
  Array<T> across(device, a, 1), along(device, b), copied(device, straight.block), product(device, straight.block, 3),
      chosen(device, straight.block);
  gradlab::unary(device, UnaryOp::kCopy, in.extent(), operand(copied, straight), const_operand(across, in));
  gradlab::binary(device, BinaryOp::kMul, in.extent(), operand(product, straight), const_operand(along, straight),
                  const_operand(across, in));
  const auto c = random_values<bool>(in.block, 22);
  Array<bool> condition(device, c);
  gradlab::where(device, in.extent(), operand(chosen, straight), const_operand(condition, in), const_operand(across, in),
                 const_operand(along, straight));
  CHECK(only_elements_written<T>(copied.host(), straight, 0, [&](std::int64_t i) { return value<T>(a, in, i); }));
  CHECK(only_elements_written<T>(product.host(), straight, 0, [&](std::int64_t i) {
    return static_cast<double>(static_cast<T>(static_cast<T>(value<T>(a, in, i)) * static_cast<T>(value<T>(b, straight, i))));
  }));
  CHECK(only_elements_written<T>(chosen.host(), straight, 0, [&](std::int64_t i) {
    return value<bool>(c, in, i) != 0 ? value<T>(a, in, i) : value<T>(b, straight, i);
  }));
}

void check_transposed(Device device) {
  for (const std::vector<std::int64_t>& sizes : std::vector<std::vector<std::int64_t>>{
           {16, 16}, {15, 40}, {32, 64}, {33, 65}, {257, 31}, {3, 40, 70}, {40, 3, 70}, {20, 18, 17}, {2, 17, 3, 50}}) {
    std::vector<std::size_t> order(sizes.size());
    for (std::size_t d = 0; d < order.size(); ++d) order[d] = d;
    const Layout straight = dense_layout(sizes);
    while (std::next_permutation(order.begin(), order.end())) {
      CAPTURE(sizes);
      CAPTURE(order);
      const Layout in = permuted_layout(sizes, order);
      check_transposed_values<float>(device, in, straight);
      check_transposed_values<double>(device, in, straight);
      check_transposed_values<std::int32_t>(device, in, straight);
      check_transposed_values<bool>(device, in, straight);
    }
  }
}

void check_gelu_of_any_layout(Device device) {
  const std::int64_t rows = 70, columns = 99;
  const auto x = random_values<float>(rows * columns, 23), grad = random_values<float>(rows * columns, 24);
  const Layout straight = dense_layout({rows, columns}), across{{rows, columns}, {1, rows}, rows * columns};
  Array<float> in(device, x), gradient(device, grad), in_rows(device, rows * columns), gradient_rows(device, rows * columns),
      dense(device, rows * columns), strided(device, rows * columns);
  gradlab::unary(device, UnaryOp::kCopy, across.extent(), operand(in_rows, straight), const_operand(in, across));
  gradlab::unary(device, UnaryOp::kCopy, across.extent(), operand(gradient_rows, straight), const_operand(gradient, across));
  gradlab::unary(device, UnaryOp::kGelu, across.extent(), operand(dense, straight), const_operand(in_rows, straight));
  gradlab::unary(device, UnaryOp::kGelu, across.extent(), operand(strided, straight), const_operand(in, across));
  CHECK(dense.host() == strided.host());
  const auto backward = [&](Array<float>& out, const ConstOperand& from, const ConstOperand& at) {
    gradlab::binary(device, BinaryOp::kGeluBackward, across.extent(), operand(out, straight), from, at);
    return out.host();
  };
  const auto expected = backward(dense, const_operand(gradient_rows, straight), const_operand(in_rows, straight));
  CHECK(backward(strided, const_operand(gradient, across), const_operand(in_rows, straight)) == expected);
  CHECK(backward(strided, const_operand(gradient_rows, straight), const_operand(in, across)) == expected);
  CHECK(backward(strided, const_operand(gradient, across), const_operand(in, across)) == expected);
}

void check_refusals(Device device) {
  const Layout layout = dense_layout({2});
  Array<std::int32_t> whole(device, std::vector<std::int32_t>{1, 2});
  Array<bool> truth(device, Host<bool>{0, 1});
  CHECK_THROWS_WITH_AS(gradlab::unary(device, UnaryOp::kExp, layout.extent(), operand(whole, layout), const_operand(whole, layout)),
                       "kernels: this unary op does not take operands of this dtype", std::invalid_argument);
  CHECK_THROWS_AS(gradlab::unary(device, UnaryOp::kNeg, layout.extent(), operand(truth, layout), const_operand(truth, layout)),
                  std::invalid_argument);
  CHECK_THROWS_AS(gradlab::binary(device, BinaryOp::kDiv, layout.extent(), operand(whole, layout), const_operand(whole, layout),
                                  const_operand(whole, layout)),
                  std::invalid_argument);
}

GRADLAB_ON_EACH_DEVICE("every unary op agrees with float64 at every size and at special values", check_unary)
GRADLAB_ON_EACH_DEVICE("every binary op agrees with float64 on strided, expanded and scalar operands", check_binary)
GRADLAB_ON_EACH_DEVICE("strided elements are read and written, and nothing between them", check_strided)
GRADLAB_ON_EACH_DEVICE("integers wrap around and bools add as or, multiply as and", check_integers_and_bools)
GRADLAB_ON_EACH_DEVICE("maximum and minimum give nan when either side is nan", check_nan_wins)
GRADLAB_ON_EACH_DEVICE("pow by a small exponent is the exact product, quotient or root", check_power_short_cuts)
GRADLAB_ON_EACH_DEVICE("the gradients of tanh and sigmoid are rounded as PyTorch rounds them", check_gradient_rounding)
GRADLAB_ON_EACH_DEVICE("where, clamp and fill reach every element of any layout", check_where_clamp_fill)
GRADLAB_ON_EACH_DEVICE("convert goes between any two dtypes", check_conversions)
GRADLAB_ON_EACH_DEVICE("an elementwise output may be an input", check_output_may_be_an_input)
GRADLAB_ON_EACH_DEVICE("transposed operands of any size are read in their order", check_transposed)
GRADLAB_ON_EACH_DEVICE("gelu and its gradient have the same bits on every layout", check_gelu_of_any_layout)
GRADLAB_ON_EACH_DEVICE("an op refuses a dtype it does not take", check_refusals)

TEST_CASE("on CUDA: gelu has the bits of its formula, op by op") {
  if (!cuda_usable()) return skip("no CUDA device");
  const std::int64_t n = 1 << 20;
  std::vector<float> x(n);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto bits = static_cast<std::uint32_t>(i * 4099);  // floats of every size
    std::memcpy(&x[i], &bits, sizeof bits);
  }
  const Layout layout = dense_layout({n});
  const Device device = Device::kCuda;
  Array<float> in(device, x), gelu(device, n), steps(device, n);
  gradlab::unary(device, UnaryOp::kGelu, layout.extent(), operand(gelu, layout), const_operand(in, layout));
  const auto then = [&](BinaryOp op, double scalar) {
    gradlab::binary_scalar(device, op, layout.extent(), operand(steps, layout), const_operand(steps, layout), scalar);
  };
  gradlab::unary(device, UnaryOp::kCopy, layout.extent(), operand(steps, layout), const_operand(in, layout));
  then(BinaryOp::kMul, 0.70710678118654752440);
  gradlab::unary(device, UnaryOp::kErf, layout.extent(), operand(steps, layout), const_operand(steps, layout));
  then(BinaryOp::kAdd, 1);
  then(BinaryOp::kMul, 0.5);
  gradlab::binary(device, BinaryOp::kMul, layout.extent(), operand(steps, layout), const_operand(steps, layout),
                  const_operand(in, layout));
  const auto fused = gelu.host(), composed = steps.host();
  std::int64_t different = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    different += !same_bits(fused[i], composed[i]) && !(std::isnan(fused[i]) && std::isnan(composed[i]));
  }
  CHECK(different == 0);
}

TEST_CASE("on CUDA: offsets may be larger than 32 bits") {
  if (!cuda_usable()) return skip("no CUDA device");
  const std::int64_t rows = 520, columns = 5, stride = 1 << 22;
  Layout far{{rows, columns}, {stride, 1}, rows * stride};
  const Layout near = dense_layout({rows, columns});
  const auto x = random_values<bool>(rows * columns, 25);
  const Device device = Device::kCuda;
  const auto bytes = static_cast<std::size_t>(far.block);
  char* block = nullptr;
  try {
    block = static_cast<char*>(gradlab::allocate(device, bytes));
  } catch (const gradlab::DeviceError&) {
    return skip("no 2 GiB of device memory");
  }
  const ConstOperand far_in{block, DType::kBool, far.strides.data()};
  const Operand far_out{block, DType::kBool, far.strides.data()};
  Array<bool> in(device, x), out(device, rows * columns);
  gradlab::unary(device, UnaryOp::kLogicalNot, far.extent(), far_out, const_operand(in, near));
  gradlab::unary(device, UnaryOp::kCopy, far.extent(), operand(out, near), far_in);
  std::vector<std::uint8_t> last(columns);
  gradlab::copy_bytes(Device::kCpu, last.data(), device, block + (rows - 1) * stride, columns);
  gradlab::deallocate(device, block, bytes);
  const auto result = out.host();
  bool right = true;
  for (std::size_t i = 0; i < x.size(); ++i) right = right && result[i] == (x[i] == 0);
  CHECK(right);
  CHECK(std::equal(last.begin(), last.end(), result.end() - columns));
}

TEST_CASE("on CUDA: more elements than one launch takes are all written") {
  if (!cuda_usable()) return skip("no CUDA device");
  const std::int64_t n = (std::int64_t{1} << 30) + 4099, guard = 16;
  const Device device = Device::kCuda;
  const auto bytes = static_cast<std::size_t>(n + guard);
  char* block = nullptr;
  try {
    block = static_cast<char*>(gradlab::allocate(device, bytes));
  } catch (const gradlab::DeviceError&) {
    return skip("no 1 GiB of device memory");
  }
  const std::vector<std::uint8_t> poison(8192, 0xcd);
  const std::int64_t places[] = {0, n / 2 - 4096, n + guard - 8192};
  for (const std::int64_t at : places) gradlab::copy_bytes(device, block + at, Device::kCpu, poison.data(), 8192);
  const Layout layout = dense_layout({n});
  gradlab::fill(device, layout.extent(), {block, DType::kBool, layout.strides.data()}, 1);
  bool right = true;
  for (const std::int64_t at : places) {
    std::vector<std::uint8_t> seen(8192);
    gradlab::copy_bytes(Device::kCpu, seen.data(), device, block + at, 8192);
    for (std::int64_t i = 0; i < 8192; ++i) right = right && seen[static_cast<std::size_t>(i)] == (at + i < n ? 1 : 0xcd);
  }
  gradlab::deallocate(device, block, bytes);
  CHECK(right);
}

}  // namespace
