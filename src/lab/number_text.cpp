#include "src/lab/number_text.h"

#include <charconv>
#include <cmath>

#include "src/tensor/format.h"

namespace gradlab {
namespace {

using NumberText = std::string (*)(double);

std::string list_text(const Numbers& numbers, NumberText text) {
  if (numbers.count == 1) return text(numbers.values.front());
  const std::size_t kept = numbers.values.size();
  const auto edge = static_cast<std::size_t>(Numbers::kEdge);
  const bool is_long = numbers.count > 2 * Numbers::kEdge;
  std::string list = "[";
  for (std::size_t i = 0; i < kept; ++i) {
    if (is_long && i == edge) {
      list += ", ...";
      i = kept - edge;
    }
    if (i > 0) list += ", ";
    list += text(numbers.values[i]);
  }
  return list + "]";
}

// The double that the float32's shortest digits name: 0.1 for 0.1f.
std::string float32_text(double value) {
  if (!std::isfinite(value)) return python_float(value);
  char digits[32];
  const auto end = std::to_chars(digits, digits + sizeof digits, static_cast<float>(value)).ptr;
  double named = value;
  std::from_chars(digits, end, named);
  return python_float(named);
}

std::string float32_short_text(double value) {
  std::string text = float32_text(value);
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text;
}

}  // namespace

std::string short_text(const Numbers& numbers) { return list_text(numbers, float32_short_text); }
std::string float_text(const Numbers& numbers) { return list_text(numbers, float32_text); }
std::string item_text(const Numbers& numbers) { return list_text(numbers, python_float); }

}  // namespace gradlab
