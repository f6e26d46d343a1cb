#include "tests/conformance/noise.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

namespace gradlab::conformance {
namespace {

// How far two codes of PyTorch 2.13 lie apart, in epsilons of the dtype (2^-23 of float32), measured with AVX-512, AVX2 and
// neither.
constexpr double kMath = 4;  // of the result
constexpr double kGelu = 8;  // of one: oneDNN's gelu is off by 9e-7 where its result is small
constexpr double kSum = 2;   // of the largest term

constexpr std::string_view kMathOps[] = {"ExpBackward0", "TanhBackward0", "SigmoidBackward0",
                                         "ErfBackward0", "LogBackward0",  "PowBackward0"};
constexpr std::string_view kMathOpsInPlace[] = {"exp_", "tanh_", "sigmoid_"};
constexpr std::string_view kSums[] = {"SumBackward0", "SumBackward1", "MeanBackward0",
                                      "DotBackward0", "MvBackward0",  "MmBackward0"};

bool is_among(std::string_view name, const auto& names) { return std::ranges::find(names, name) != std::end(names); }

double largest_magnitude(const Tensor& tensor) {
  double largest = 0;
  for (const double value : tensor.to_vector()) {
    if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
  }
  return largest;
}

}  // namespace

void Noise::takes(std::initializer_list<const Tensor*> inputs) {
  const ObserverGuard off(nullptr);
  largest_.clear();
  for (const Tensor* input : inputs) largest_.push_back(largest_magnitude(*input));
}

void Noise::created(const Tensor& result, Origin origin, std::string_view name, const Node*, const Tensor&) {
  if (origin != Origin::kOp) return;
  if (is_among(name, kMathOps)) move(result, kMath, 0);
  if (name == "GeluBackward0") move(result, kMath, kGelu);
  if (name == "GeluBackwardBackward0") move(result, kMath, kGelu * largest_.front());  // the gradient times a slope
  if (is_among(name, kSums)) {
    move(result, 0, kSum * std::accumulate(largest_.begin(), largest_.end(), 1.0, std::multiplies<>()));
  }
}

void Noise::wrote(const Tensor& tensor, std::uint32_t, const Node*) {
  if (is_among(step_, kMathOpsInPlace)) move(tensor, kMath, 0);
}

void Noise::move(const Tensor& tensor, double relative, double absolute) {
  if (!is_floating_point(tensor.dtype())) return;
  const ObserverGuard off(nullptr);
  const NoGradGuard no_grad;
  const double epsilon = tensor.dtype() == DType::kFloat64 ? std::numeric_limits<double>::epsilon()
                                                           : static_cast<double>(std::numeric_limits<float>::epsilon());
  std::vector<double> values = tensor.to_vector();
  for (double& value : values) {
    const double share = std::uniform_real_distribution<double>(-1, 1)(random_);
    const double moved = value + share * epsilon * (relative * std::abs(value) + absolute);
    // The zeros of gelu's tail are zeros in each code, but not of one sign.
    value = value == 0 && relative > 0 ? std::copysign(value, moved) : moved;
  }
  tensor.data().copy_(gradlab::tensor(values, tensor.shape(), {.dtype = tensor.dtype()}));
}

}  // namespace gradlab::conformance
