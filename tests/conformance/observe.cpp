#include "tests/conformance/observe.h"

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "src/autograd/node.h"
#include "src/tensor/error.h"
#include "src/tensor/format.h"

namespace gradlab::conformance {
namespace {

using nlohmann::json;

std::string as_text(bool value) { return value ? "true" : "false"; }

std::string as_text(const json& value) {
  if (value.is_null()) return "None";
  if (value.is_string()) return value.get<std::string>();
  if (value.is_array()) return format_size(value.get<std::vector<std::int64_t>>());
  return value.dump();
}

// What `get` returns, or the error that it raised.
template <class Get>
std::string ask(Get get) {
  try {
    return get();
  } catch (const Error& error) {
    if (error.type() != ErrorType::kRuntimeError) throw;
    return std::string("error: ") + error.what();
  }
}

// None, too, where asking raised.
Tensor grad_of(const Tensor& tensor) {
  try {
    return tensor.grad();
  } catch (const Error& error) {
    if (error.type() != ErrorType::kRuntimeError) throw;
    return {};
  }
}

// strtod reads C99 hexadecimal floats, nan and inf.
std::vector<double> numbers(const json& values) {
  std::vector<double> numbers;
  numbers.reserve(values.size());
  for (const json& value : values) {
    numbers.push_back(std::strtod(value.get_ref<const std::string&>().c_str(), nullptr));
  }
  return numbers;
}

}  // namespace

Observation observe(const Tensor& tensor) {
  Observation seen;
  seen.texts[kShape] = format_size(tensor.shape());
  seen.texts[kStride] = format_size(tensor.strides());
  seen.texts[kOffset] = std::to_string(tensor.storage_offset());
  seen.texts[kDtype] = torch_name(tensor.dtype()).substr(6);
  seen.values = tensor.to_vector();
  seen.texts[kVersion] = std::to_string(tensor.version());
  seen.texts[kRequiresGrad] = ask([&] { return as_text(tensor.requires_grad()); });
  seen.texts[kIsLeaf] = ask([&] { return as_text(tensor.is_leaf()); });
  seen.texts[kGradFn] = ask([&] {
    const Ref<Node> node = tensor.grad_fn();
    return node ? node->class_name() : "None";
  });
  seen.texts[kOutputNr] = ask([&] { return std::to_string(tensor.output_nr()); });
  if (const Tensor grad = grad_of(tensor); grad.defined()) {
    seen.grad = grad.to_vector();
    seen.texts[kGradShape] = format_size(grad.shape());
    seen.texts[kGradRequiresGrad] = as_text(grad.requires_grad());
  }
  return seen;
}

void update(Observation& observation, const json& changes) {
  for (const auto& [name, value] : changes.items()) {
    if (name == "values") {
      observation.values = numbers(value);
    } else if (name == "grad" && value.is_null()) {
      observation.grad.reset();
      observation.texts[kGradShape].clear();
      observation.texts[kGradRequiresGrad].clear();
    } else if (name == "grad") {
      observation.grad = numbers(value);
    } else {
      std::size_t field = 0;
      while (field < kFieldCount && kFieldNames[field] != name) ++field;
      if (field == kFieldCount) throw std::invalid_argument("a field named " + name + " is not in the format");
      observation.texts[field] = as_text(value);
    }
  }
}

}  // namespace gradlab::conformance
