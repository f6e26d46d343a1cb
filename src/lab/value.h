// What an experiment observes, as plain data that outlives the tensors it came from.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "src/autograd/node.h"
#include "src/tensor/error.h"
#include "src/tensor/tensor.h"

namespace gradlab {

// The elements of a tensor in row-major order. Of more than kMaxKept only the first and last kEdge are kept.
struct Numbers {
  static constexpr std::int64_t kMaxKept = 1000;
  static constexpr std::int64_t kEdge = 3;

  std::vector<double> values;
  std::int64_t count = 0;

  bool is_complete() const { return static_cast<std::int64_t>(values.size()) == count; }
  friend bool operator==(const Numbers&, const Numbers&) = default;
};

// Throws Error when `tensor` is undefined.
Numbers numbers_of(const Tensor& tensor);

struct TensorValue {
  std::string text;  // PyTorch's str(tensor)
  std::vector<std::int64_t> shape;
  Numbers numbers;
};

struct NodeValue {
  std::string class_name;         // "SafeSquareBackward"
  std::string text;               // Python's str(grad_fn), "..." for the address
  std::string text_with_address;  // the same with the real address
};

struct ErrorValue {
  std::string type;  // "RuntimeError"
  std::string message;
};

// std::monostate is Python's None.
using Value = std::variant<std::monostate, bool, std::string, Numbers, TensorValue, NodeValue, ErrorValue>;

Value value_of(const Tensor& tensor);   // None when undefined
Value value_of(const Ref<Node>& node);  // None when null
Value value_of(const Error& error);
Value value_of(const std::optional<ErrorValue>& error);  // the text "no error" when there is none
inline Value value_of(std::same_as<bool> auto value) { return value; }
inline Value value_of(std::string text) { return text; }
inline Value value_of(Numbers numbers) { return numbers; }

// As Python prints it: "True", "None", "tensor([60.])", "RuntimeError: ...", "[3, 4]".
std::string text_of(const Value& value, bool with_addresses = false);

}  // namespace gradlab
