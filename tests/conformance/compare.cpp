#include "tests/conformance/compare.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "src/tensor/format.h"

namespace gradlab::conformance {
namespace {

bool are_close(const std::vector<double>& expected, const std::vector<double>& got, std::string_view dtype,
               const std::vector<double>& spread) {
  if (expected.size() != got.size()) return false;
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (!is_close(expected[i], got[i], dtype, i < spread.size() ? spread[i] : 0)) return false;
  }
  return true;
}

// Infinite where one is not finite and the other differs.
double distance(double a, double b) {
  if (a == b || (std::isnan(a) && std::isnan(b))) return 0;
  return std::isfinite(a) && std::isfinite(b) ? std::abs(a - b) : std::numeric_limits<double>::infinity();
}

void widen(std::vector<double>& spread, const std::vector<double>& got, const std::vector<double>& with_noise) {
  spread.resize(got.size());
  for (std::size_t i = 0; i < std::min(got.size(), with_noise.size()); ++i) {
    spread[i] = std::max(spread[i], distance(got[i], with_noise[i]));
  }
}

std::string as_text(const std::vector<double>& values) {
  std::string text = "[";
  for (const double value : values) text += (text.size() > 1 ? ", " : "") + python_float(value);
  return text + "]";
}

}  // namespace

bool is_close(double expected, double got, std::string_view dtype, double spread) {
  if (std::isinf(spread)) return true;
  if (std::isnan(expected) || std::isnan(got)) return std::isnan(expected) && std::isnan(got);
  if (expected == got) return true;
  if (std::isinf(expected) || std::isinf(got)) return false;
  const bool has_fractions = dtype.starts_with("float");
  const double relative = !has_fractions ? 0 : dtype == "float64" ? 1e-12 : 1e-5;
  const double absolute = !has_fractions ? 0 : dtype == "float64" ? 1e-12 : 1e-6;
  return std::abs(expected - got) <= absolute + relative * std::abs(expected) + 2 * spread;
}

void widen(Spread& spread, const Observation& got, const Observation& with_noise) {
  widen(spread.values, got.values, with_noise.values);
  if (got.grad && with_noise.grad) widen(spread.grad, *got.grad, *with_noise.grad);
}

std::vector<Difference> compare(const std::string& tensor, const Observation& expected, const Observation& got,
                                const Spread& spread) {
  std::vector<Difference> differences;
  const auto compare_texts = [&](std::size_t begin, std::size_t end) {
    for (std::size_t field = begin; field < end; ++field) {
      if (expected.texts[field] == got.texts[field]) continue;
      differences.push_back({tensor, std::string(kFieldNames[field]), expected.texts[field], got.texts[field]});
    }
  };
  compare_texts(0, kGradShape);
  const std::string& dtype = expected.texts[kDtype];
  if (!are_close(expected.values, got.values, dtype, spread.values)) {
    differences.push_back({tensor, "values", as_text(expected.values), as_text(got.values)});
  }
  if (expected.grad.has_value() != got.grad.has_value()) {
    differences.push_back(
        {tensor, "grad", expected.grad ? as_text(*expected.grad) : "None", got.grad ? as_text(*got.grad) : "None"});
    return differences;
  }
  compare_texts(kGradShape, kFieldCount);
  if (expected.grad && !are_close(*expected.grad, *got.grad, dtype, spread.grad)) {
    differences.push_back({tensor, "grad", as_text(*expected.grad), as_text(*got.grad)});
  }
  return differences;
}

}  // namespace gradlab::conformance
