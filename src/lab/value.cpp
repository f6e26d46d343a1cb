#include "src/lab/value.h"

#include "src/lab/number_text.h"

namespace gradlab {

Numbers numbers_of(const Tensor& tensor) {
  std::vector<double> all = tensor.to_vector();
  const auto count = static_cast<std::int64_t>(all.size());
  if (count <= Numbers::kMaxKept) return {std::move(all), count};
  std::vector<double> edges(all.begin(), all.begin() + Numbers::kEdge);
  edges.insert(edges.end(), all.end() - Numbers::kEdge, all.end());
  return {std::move(edges), count};
}

Value value_of(const Tensor& tensor) {
  if (!tensor.defined()) return std::monostate();
  return TensorValue{tensor.to_string(), {tensor.shape().begin(), tensor.shape().end()}, numbers_of(tensor)};
}

Value value_of(const Ref<Node>& node) {
  if (!node) return std::monostate();
  return NodeValue{node->class_name(), node->to_string(), node->to_string(true)};
}

Value value_of(const Error& error) { return ErrorValue{error.type_name(), error.what()}; }

Value value_of(const std::optional<ErrorValue>& error) {
  if (!error) return std::string("no error");
  return *error;
}

namespace {

struct TextOf {
  bool with_addresses;

  std::string operator()(std::monostate) const { return "None"; }
  std::string operator()(bool value) const { return value ? "True" : "False"; }
  std::string operator()(const std::string& text) const { return text; }
  std::string operator()(const Numbers& numbers) const { return short_text(numbers); }
  std::string operator()(const TensorValue& tensor) const { return tensor.text; }
  std::string operator()(const NodeValue& node) const { return with_addresses ? node.text_with_address : node.text; }
  std::string operator()(const ErrorValue& error) const { return error.type + ": " + error.message; }
};

}  // namespace

std::string text_of(const Value& value, bool with_addresses) { return std::visit(TextOf{with_addresses}, value); }

}  // namespace gradlab
