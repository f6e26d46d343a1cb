#include "tests/conformance/printing.h"

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <vector>

#include "src/tensor/format.h"
#include "src/tensor/tensor.h"

namespace gradlab::conformance {
namespace {

using nlohmann::json;

// strtod reads C99 hexadecimal floats, nan and inf.
double as_number(const json& value) {
  return value.is_string() ? std::strtod(value.get<std::string>().c_str(), nullptr) : value.get<double>();
}

template <class T>
std::string printed_as(DType dtype, const json& row) {
  std::vector<T> values;
  for (const json& value : row.at("values")) values.push_back(static_cast<T>(as_number(value)));
  const auto shape = row.at("shape").get<std::vector<std::int64_t>>();
  return format_tensor({.dtype = dtype, .shape = shape, .values = values.data()});
}

std::string printed_tensor(const json& row) {
  const std::string dtype = row.at("dtype");
  if (dtype == "float32") return printed_as<float>(DType::kFloat32, row);
  if (dtype == "float64") return printed_as<double>(DType::kFloat64, row);
  if (dtype == "int32") return printed_as<std::int32_t>(DType::kInt32, row);
  if (dtype == "int64") return printed_as<std::int64_t>(DType::kInt64, row);
  if (dtype == "bool") return printed_as<std::uint8_t>(DType::kBool, row);
  throw std::invalid_argument("a dtype named " + dtype + " is not in the format");
}

// The tensors at the end of printing.py, made as there.
std::vector<std::string> suffix_rows() {
  const Tensor x = tensor({1.0, 2.5}, TensorOptions{.requires_grad = true});
  const Tensor three = scalar_tensor(3.0).requires_grad_();
  std::vector<std::string> rows;
  for (const Tensor& t : {x,
                          x * 2,
                          x.sum(),
                          (x * 2).detach(),
                          x.detach().requires_grad_(),
                          x.to(DType::kFloat64),
                          three,
                          (x * 2).reshape({2, 1}),
                          x.exp(),
                          x / 2,
                          x - 1,
                          -x,
                          x.pow(2),
                          x.matmul(x),
                          x.mean(),
                          x.view({2, 1}),
                          x[0],
                          x.narrow(0, 0, 1),
                          x.clone(),
                          x.gelu()}) {
    rows.push_back(t.to_string());
  }
  return rows;
}

// The text itself if it is there, else the one with the longest common end: its grad_fn is the same.
std::string nearest(const std::vector<std::string>& texts, const std::string& text) {
  const auto common = [&](const std::string& other) {
    return std::mismatch(text.rbegin(), text.rend(), other.rbegin(), other.rend()).first - text.rbegin();
  };
  if (std::find(texts.begin(), texts.end(), text) != texts.end()) return text;
  return *std::max_element(texts.begin(), texts.end(),
                           [&](const std::string& a, const std::string& b) { return common(a) < common(b); });
}

}  // namespace

bool is_printing(const json& row) { return row.contains("tag") && !row.contains("steps"); }

Outcome check_printing(const json& row, const std::string& id) {
  Outcome outcome;
  outcome.id = id;
  try {
    const std::string tag = row.at("tag");
    const bool has_values = !row.contains("repr");
    const std::string expected = row.at(has_values ? "str" : "repr");
    std::string got;
    if (!has_values) {
      got = nearest(suffix_rows(), expected);
    } else {
      got = tag == "item" ? python_float(as_number(row.at("hex"))) : printed_tensor(row);
    }
    if (got != expected) outcome.steps.push_back({1, "print", "print " + tag, {{"", "text", expected, got}}});
  } catch (const std::exception& error) {
    outcome.malformed = error.what();
  }
  return outcome;
}

}  // namespace gradlab::conformance
