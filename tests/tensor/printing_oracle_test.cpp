// Holds the printing against what PyTorch 2.13 printed (shared/oracle/README.md describes the rows). tests/data holds a
// sample; the whole recording is read too where it is present.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "src/tensor/format.h"

using namespace gradlab;
using nlohmann::json;

namespace {

const std::filesystem::path kSample = GRADLAB_SOURCE_DIR "/tests/data/printing.jsonl";
const std::filesystem::path kWhole = GRADLAB_SOURCE_DIR "/../shared/oracle/printing.jsonl";

std::vector<json> read_rows(const std::filesystem::path& path) {
  std::ifstream file(path);
  REQUIRE_MESSAGE(file.is_open(), "cannot read ", path.string());
  std::vector<json> rows;
  for (std::string line; std::getline(file, line);) rows.push_back(json::parse(line));
  return rows;
}

DType dtype_named(const std::string& name) {
  static const std::map<std::string, DType> kNames = {{"float32", DType::kFloat32},
                                                      {"float64", DType::kFloat64},
                                                      {"int32", DType::kInt32},
                                                      {"int64", DType::kInt64},
                                                      {"bool", DType::kBool}};
  return kNames.at(name);
}

// strtod reads C99 hexadecimal floats, nan and inf.
double number(const json& value) {
  return value.is_string() ? std::strtod(value.get<std::string>().c_str(), nullptr) : value.get<double>();
}

template <class T>
std::string printed_as(const json& values, TensorText text) {
  std::vector<T> numbers;
  for (const json& value : values) numbers.push_back(static_cast<T>(number(value)));
  text.values = numbers.data();
  return format_tensor(text);
}

std::string printed(const json& row) {
  const auto shape = row.at("shape").get<std::vector<std::int64_t>>();
  const DType dtype = dtype_named(row.at("dtype"));
  const TensorText text = {.dtype = dtype, .shape = shape};
  switch (dtype) {
    case DType::kFloat32:
      return printed_as<float>(row.at("values"), text);
    case DType::kFloat64:
      return printed_as<double>(row.at("values"), text);
    case DType::kInt32:
      return printed_as<std::int32_t>(row.at("values"), text);
    case DType::kInt64:
      return printed_as<std::int64_t>(row.at("values"), text);
    case DType::kBool:
      return printed_as<std::uint8_t>(row.at("values"), text);
  }
  return {};
}

std::string with_grad_fn(std::string_view grad_fn, const std::vector<float>& values, const std::vector<std::int64_t>& shape) {
  return format_tensor({.shape = shape, .values = values.data(), .grad_fn = grad_fn, .requires_grad = true});
}

std::string leaf(const std::vector<float>& values, const std::vector<std::int64_t>& shape, bool requires_grad) {
  return format_tensor({.shape = shape, .values = values.data(), .requires_grad = requires_grad});
}

float gelu(float x) { return x * 0.5f * (1 + std::erf(x / std::sqrt(2.0f))); }

// The tensors of printing.py's suffix rows, in its order: x = tensor([1.0, 2.5], requires_grad=True) and what it made
// of x.
std::vector<std::string> rebuilt_suffix_rows() {
  const std::vector<double> doubles = {1, 2.5};
  const std::vector<std::int64_t> two = {2};
  return {
      leaf({1, 2.5f}, {2}, true),                 // x
      with_grad_fn("MulBackward0", {2, 5}, {2}),  // x*2
      with_grad_fn("SumBackward0", {3.5f}, {}),   // x.sum()
      leaf({2, 5}, {2}, false),                   // (x*2).detach()
      leaf({1, 2.5f}, {2}, true),                 // x.detach().requires_grad_()
      format_tensor({.dtype = DType::kFloat64, .shape = two, .values = doubles.data(), .grad_fn = "ToCopyBackward0"}),
      leaf({3}, {}, true),                                                  // tensor(3.0, requires_grad=True)
      with_grad_fn("ViewBackward0", {2, 5}, {2, 1}),                        // (x*2).reshape(2,1)
      with_grad_fn("ExpBackward0", {std::exp(1.0f), std::exp(2.5f)}, {2}),  // x.exp()
      with_grad_fn("DivBackward0", {0.5f, 1.25f}, {2}),                     // x/2
      with_grad_fn("SubBackward0", {0, 1.5f}, {2}),                         // x-1
      with_grad_fn("NegBackward0", {-1, -2.5f}, {2}),                       // -x
      with_grad_fn("PowBackward0", {1, 6.25f}, {2}),                        // x.pow(2)
      with_grad_fn("DotBackward0", {7.25f}, {}),                            // x@x
      with_grad_fn("MeanBackward0", {1.75f}, {}),                           // x.mean()
      with_grad_fn("ViewBackward0", {1, 2.5f}, {2, 1}),                     // x.view(2,1)
      with_grad_fn("SelectBackward0", {1}, {}),                             // x[0]
      with_grad_fn("SliceBackward0", {1}, {1}),                             // x[0:1]
      with_grad_fn("CloneBackward0", {1, 2.5f}, {2}),                       // x.clone()
      with_grad_fn("GeluBackward0", {gelu(1), gelu(2.5f)}, {2}),            // gelu(x)
  };
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += "\n" + line;
  return text;
}

struct RowCounts {
  std::size_t values = 0, items = 0, suffixes = 0;
};

// A recording may leave rows out, so the suffix rows have to be found in their order, not at their place.
RowCounts compare(const std::filesystem::path& path) {
  const std::vector<std::string> rebuilt = rebuilt_suffix_rows();
  auto next = rebuilt.begin();
  RowCounts counts;
  for (const json& row : read_rows(path)) {
    const std::string tag = row.at("tag");
    if (tag == "suffix") {
      const std::string expected = row.at("repr");
      const auto found = std::find(next, rebuilt.end(), expected);
      const bool matched = found != rebuilt.end();
      CHECK_MESSAGE(matched, "expected ", expected, "\ngot, of which one should match:", joined({next, rebuilt.end()}));
      if (matched) next = found + 1;
      ++counts.suffixes;
      continue;
    }
    const std::string expected = row.at("str");
    const std::string got = tag == "item" ? python_float(number(row.at("hex"))) : printed(row);
    CHECK_MESSAGE(got == expected, "tag ", tag, "\nexpected ", expected, "\ngot      ", got);
    ++(tag == "item" ? counts.items : counts.values);
  }
  return counts;
}

}  // namespace

TEST_CASE("every tensor of the sample prints as PyTorch printed it") {
  const RowCounts counts = compare(kSample);
  CHECK(counts.values == 615);
  CHECK(counts.items == 32);
  CHECK(counts.suffixes == 20);
}

TEST_CASE("every tensor of the whole recording prints as PyTorch printed it" *
          doctest::skip(!std::filesystem::exists(kWhole))) {
  const RowCounts counts = compare(kWhole);
  CHECK(counts.values > 0);
  CHECK(counts.items > 0);
  CHECK(counts.suffixes > 0);
}
