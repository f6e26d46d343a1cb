#include "tests/conformance/compare.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "src/tensor/format.h"

namespace gradlab::conformance {
namespace {

bool are_close(const std::vector<double>& expected, const std::vector<double>& got, std::string_view dtype) {
  return std::equal(expected.begin(), expected.end(), got.begin(), got.end(),
                    [&](double a, double b) { return is_close(a, b, dtype); });
}

std::string as_text(const std::vector<double>& values) {
  std::string text = "[";
  for (const double value : values) text += (text.size() > 1 ? ", " : "") + python_float(value);
  return text + "]";
}

}  // namespace

bool is_close(double expected, double got, std::string_view dtype) {
  if (std::isnan(expected) || std::isnan(got)) return std::isnan(expected) && std::isnan(got);
  if (expected == got) return true;
  if (std::isinf(expected) || std::isinf(got)) return false;
  if (!dtype.starts_with("float")) return false;
  const double relative = dtype == "float64" ? 1e-12 : 1e-5;
  const double absolute = dtype == "float64" ? 1e-12 : 1e-6;
  return std::abs(expected - got) <= absolute + relative * std::abs(expected);
}

std::vector<Difference> compare(const std::string& tensor, const Observation& expected, const Observation& got) {
  std::vector<Difference> differences;
  const auto compare_texts = [&](std::size_t begin, std::size_t end) {
    for (std::size_t field = begin; field < end; ++field) {
      if (expected.texts[field] == got.texts[field]) continue;
      differences.push_back({tensor, std::string(kFieldNames[field]), expected.texts[field], got.texts[field]});
    }
  };
  compare_texts(0, kGradShape);
  const std::string& dtype = expected.texts[kDtype];
  if (!are_close(expected.values, got.values, dtype)) {
    differences.push_back({tensor, "values", as_text(expected.values), as_text(got.values)});
  }
  if (expected.grad.has_value() != got.grad.has_value()) {
    differences.push_back(
        {tensor, "grad", expected.grad ? as_text(*expected.grad) : "None", got.grad ? as_text(*got.grad) : "None"});
    return differences;
  }
  compare_texts(kGradShape, kFieldCount);
  if (expected.grad && !are_close(*expected.grad, *got.grad, dtype)) {
    differences.push_back({tensor, "grad", as_text(*expected.grad), as_text(*got.grad)});
  }
  return differences;
}

}  // namespace gradlab::conformance
