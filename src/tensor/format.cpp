#include "src/tensor/format.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

namespace gradlab {
namespace {

// PyTorch's default print options; the precision, 4 digits, stands in the format strings below.
constexpr std::int64_t kThreshold = 1000;
constexpr std::int64_t kEdgeItems = 3;
constexpr std::int64_t kLineWidth = 80;

constexpr std::string_view kPrefix = "tensor(";
constexpr std::int64_t kIndent = std::int64_t{kPrefix.size()};

std::int64_t count_elements(std::span<const std::int64_t> shape) {
  return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

bool is_shortened(std::int64_t size, bool summarize) { return summarize && size > 2 * kEdgeItems; }

std::vector<std::int64_t> shown_positions(std::int64_t size, bool summarize) {
  const bool shortened = is_shortened(size, summarize);
  std::vector<std::int64_t> positions;
  for (std::int64_t i = 0; i < size; ++i) {
    if (shortened && i == kEdgeItems) i = size - kEdgeItems;
    positions.push_back(i);
  }
  return positions;
}

// Row-major.
std::vector<std::int64_t> shown_offsets(std::span<const std::int64_t> shape, bool summarize) {
  std::vector<std::int64_t> offsets = {0};
  for (const std::int64_t size : shape) {
    const std::vector<std::int64_t> positions = shown_positions(size, summarize);
    std::vector<std::int64_t> finer;
    finer.reserve(offsets.size() * positions.size());
    for (const std::int64_t offset : offsets) {
      for (const std::int64_t position : positions) finer.push_back(offset * size + position);
    }
    offsets = std::move(finer);
  }
  return offsets;
}

template <class Stored, class Read>
std::vector<Read> read_at(const void* values, const std::vector<std::int64_t>& offsets) {
  const Stored* typed = static_cast<const Stored*>(values);
  std::vector<Read> read;
  read.reserve(offsets.size());
  for (const std::int64_t offset : offsets) read.push_back(static_cast<Read>(typed[offset]));
  return read;
}

struct Elements {
  std::vector<std::string> texts;  // row-major, padded to width; a longer one overflows
  std::size_t width = 1;
};

Elements padded(std::vector<std::string> texts, std::size_t width) {
  for (std::string& text : texts) {
    if (text.size() < width) text.insert(0, width - text.size(), ' ');
  }
  return {std::move(texts), width};
}

bool decides_format(double value) { return std::isfinite(value) && value != 0; }

enum class FloatFormat { kInteger, kFixed, kScientific };

FloatFormat choose_format(const std::vector<double>& values) {
  double smallest = std::numeric_limits<double>::infinity();
  double largest = 0;
  bool all_integers = true;
  for (const double value : values) {
    if (!decides_format(value)) continue;
    smallest = std::min(smallest, std::fabs(value));
    largest = std::max(largest, std::fabs(value));
    all_integers = all_integers && value == std::ceil(value);
  }
  if (largest == 0) return FloatFormat::kInteger;
  if (largest / smallest > 1000 || largest > 1e8 || smallest < 1e-4) return FloatFormat::kScientific;
  return all_integers ? FloatFormat::kInteger : FloatFormat::kFixed;
}

// Python never shows the sign of a nan; fmt does.
std::string non_finite_text(double value) {
  if (std::isnan(value)) return "nan";
  return value > 0 ? "inf" : "-inf";
}

std::string float_text(double value, FloatFormat format) {
  if (!std::isfinite(value)) return non_finite_text(value);
  switch (format) {
    case FloatFormat::kInteger:
      return fmt::format("{:.0f}.", value);
    case FloatFormat::kFixed:
      return fmt::format("{:.4f}", value);
    case FloatFormat::kScientific:
      return fmt::format("{:.4e}", value);
  }
  return {};
}

Elements float_elements(const std::vector<double>& values) {
  const FloatFormat format = choose_format(values);
  std::vector<std::string> texts;
  texts.reserve(values.size());
  std::size_t width = 1;
  for (const double value : values) {
    texts.push_back(float_text(value, format));
    if (decides_format(value)) width = std::max(width, texts.back().size());
  }
  return padded(std::move(texts), width);
}

Elements integer_elements(const std::vector<std::int64_t>& values, bool as_bool) {
  std::vector<std::string> texts;
  texts.reserve(values.size());
  std::size_t width = 1;
  for (const std::int64_t value : values) {
    texts.push_back(as_bool ? (value != 0 ? "True" : "False") : fmt::format("{}", value));
    width = std::max(width, texts.back().size());
  }
  return padded(std::move(texts), width);
}

Elements elements_at(const TensorText& tensor, const std::vector<std::int64_t>& offsets) {
  switch (tensor.dtype) {
    case DType::kFloat32:
      return float_elements(read_at<float, double>(tensor.values, offsets));
    case DType::kFloat64:
      return float_elements(read_at<double, double>(tensor.values, offsets));
    case DType::kInt32:
      return integer_elements(read_at<std::int32_t, std::int64_t>(tensor.values, offsets), false);
    case DType::kInt64:
      return integer_elements(read_at<std::int64_t, std::int64_t>(tensor.values, offsets), false);
    case DType::kBool:
      return integer_elements(read_at<std::uint8_t, std::int64_t>(tensor.values, offsets), true);
  }
  return {};
}

std::string line_break(std::int64_t newlines, std::int64_t spaces) {
  return "," + std::string(static_cast<std::size_t>(newlines), '\n') +
         std::string(static_cast<std::size_t>(spaces), ' ');
}

std::string row_text(const std::vector<std::string>& parts, std::size_t width, std::int64_t indent) {
  const std::int64_t fitting = (kLineWidth - indent) / (static_cast<std::int64_t>(width) + 2);
  const auto per_line = static_cast<std::size_t>(std::max(std::int64_t{1}, fitting));
  std::string text = "[";
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) text += i % per_line == 0 ? line_break(1, indent + 1) : ", ";
    text += parts[i];
  }
  return text + "]";
}

// `parts`: the slices of the dimensions below, row-major. Each run of `count` becomes one slice of dimension `dim`.
std::vector<std::string> join_dimension(std::vector<std::string> parts, const TensorText& tensor, std::size_t dim,
                                        bool summarize, std::size_t width) {
  const bool shortened = is_shortened(tensor.shape[dim], summarize);
  const std::int64_t count = shortened ? 2 * kEdgeItems : tensor.shape[dim];
  const std::int64_t indent = kIndent + static_cast<std::int64_t>(dim);
  const auto dims_below = static_cast<std::int64_t>(tensor.shape.size() - dim - 1);

  std::vector<std::string> slices;
  for (auto first = parts.begin(); first != parts.end(); first += count) {
    std::vector<std::string> members(std::make_move_iterator(first), std::make_move_iterator(first + count));
    if (shortened) members.insert(members.begin() + kEdgeItems, dims_below == 0 ? " ..." : "...");
    slices.push_back(dims_below == 0 ? row_text(members, width, indent)
                                     : fmt::format("[{}]", fmt::join(members, line_break(dims_below, indent + 1))));
  }
  return slices;
}

// From the innermost dimension outwards, in a loop: the number of dimensions has no limit.
std::string values_text(const TensorText& tensor) {
  const std::int64_t numel = count_elements(tensor.shape);
  if (numel == 0) return "[]";
  const bool summarize = numel > kThreshold;
  Elements elements = elements_at(tensor, shown_offsets(tensor.shape, summarize));
  std::vector<std::string> parts = std::move(elements.texts);
  for (std::size_t dim = tensor.shape.size(); dim-- > 0;) {
    parts = join_dimension(std::move(parts), tensor, dim, summarize, elements.width);
  }
  return parts.front();
}

// An empty tensor has no elements to tell int64 or bool by.
bool shows_dtype(DType dtype, bool empty) {
  if (dtype == DType::kFloat32) return false;
  return empty || (dtype != DType::kInt64 && dtype != DType::kBool);
}

std::vector<std::string> suffixes_of(const TensorText& tensor) {
  const bool empty = count_elements(tensor.shape) == 0;
  std::vector<std::string> suffixes;
  if (tensor.device == Device::kCuda) suffixes.push_back(fmt::format("device='cuda:{}'", tensor.device_index));
  if (empty && tensor.shape.size() != 1) suffixes.push_back(fmt::format("size=({})", fmt::join(tensor.shape, ", ")));
  if (shows_dtype(tensor.dtype, empty)) suffixes.push_back(fmt::format("dtype={}", torch_name(tensor.dtype)));
  if (!tensor.grad_fn.empty()) {
    suffixes.push_back(fmt::format("grad_fn=<{}>", tensor.grad_fn));
  } else if (tensor.requires_grad) {
    suffixes.push_back("requires_grad=True");
  }
  return suffixes;
}

std::string with_suffixes(std::string text, const std::vector<std::string>& suffixes) {
  const std::size_t last_break = text.rfind('\n');
  const std::size_t last_line = last_break == std::string::npos ? text.size() : text.size() - last_break - 1;
  // PyTorch counts two columns more than it has written, so a suffix moves to a new line a little early.
  std::size_t column = last_line + 2;
  for (const std::string& suffix : suffixes) {
    if (column + suffix.size() + 2 > kLineWidth) {
      text += line_break(1, kIndent) + suffix;
      column = kIndent + suffix.size();
    } else {
      text += ", " + suffix;
      column += suffix.size() + 2;
    }
  }
  return text + ")";
}

}  // namespace

std::string format_tensor(const TensorText& tensor) {
  return with_suffixes(std::string(kPrefix) + values_text(tensor), suffixes_of(tensor));
}

std::string python_float(double value) {
  if (!std::isfinite(value)) return non_finite_text(value);
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

std::string format_size(std::span<const std::int64_t> shape) { return fmt::format("[{}]", fmt::join(shape, ", ")); }

std::string torch_size(std::span<const std::int64_t> shape) {
  return fmt::format("torch.Size({})", format_size(shape));
}

std::string_view torch_name(DType dtype) {
  switch (dtype) {
    case DType::kFloat32:
      return "torch.float32";
    case DType::kFloat64:
      return "torch.float64";
    case DType::kInt32:
      return "torch.int32";
    case DType::kInt64:
      return "torch.int64";
    case DType::kBool:
      return "torch.bool";
  }
  return {};
}

std::string_view scalar_name(DType dtype) {
  switch (dtype) {
    case DType::kFloat32:
      return "Float";
    case DType::kFloat64:
      return "Double";
    case DType::kInt32:
      return "Int";
    case DType::kInt64:
      return "Long";
    case DType::kBool:
      return "Bool";
  }
  return {};
}

// PyTorch rewrites its internal names to the old Python ones, but only for the dtypes that had one.
std::string tensor_type_name(DType dtype, Device device) {
  const bool cuda = device == Device::kCuda;
  if (dtype == DType::kBool) return cuda ? "CUDABoolType" : "CPUBoolType";
  return fmt::format("torch.{}{}Tensor", cuda ? "cuda." : "", scalar_name(dtype));
}

}  // namespace gradlab
