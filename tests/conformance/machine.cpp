#include "tests/conformance/machine.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "src/autograd/engine.h"
#include "src/autograd/grad_mode.h"
#include "src/tensor/error.h"
#include "tests/conformance/ops.h"

namespace gradlab::conformance {
namespace {

using nlohmann::json;

// What Python's `self.v[name]` raises.
struct KeyError {
  std::string name;
};

}  // namespace

std::optional<StepError> Machine::run(const json& step) {
  try {
    const GradModeGuard mode(!step.value("no_grad", false));
    execute(step);
  } catch (const Error& error) {
    return StepError{error.type_name(), error.what()};
  } catch (const KeyError& error) {
    return StepError{"KeyError", "'" + error.name + "'"};
  } catch (const json::exception&) {
    throw;
  } catch (const std::exception& error) {
    return StepError{"not a Python error", error.what()};
  }
  return std::nullopt;
}

std::vector<Argument> Machine::arguments(const json& step) const {
  std::vector<Argument> arguments;
  if (!step.contains("in")) return arguments;
  for (const json& input : step.at("in")) {
    if (!input.is_string()) {
      arguments.emplace_back(as_scalar(input));
      continue;
    }
    const std::string& name = input.get_ref<const std::string&>();
    const auto found =
        std::find_if(tensors_.begin(), tensors_.end(), [&](const auto& entry) { return entry.first == name; });
    if (found == tensors_.end()) throw KeyError{name};
    arguments.emplace_back(found->second);
  }
  return arguments;
}

void Machine::execute(const json& step) {
  const std::string& name = step.at("do").get_ref<const std::string&>();
  const std::vector<Argument> in = arguments(step);
  if (name == "tensor") return store(step.at("out"), TensorList{make_leaf(step)});
  if (name == "drop") return erase(step.at("in").at(0).get<std::string>());
  if (name == "grad") return gradients(step, in);
  if (name == "apply" || name == "forward_directly") {
    const std::string& function_name = step.at("function").get_ref<const std::string&>();
    const NamedFunction* function = find_function(function_name);
    if (function == nullptr) throw std::invalid_argument("unknown Function " + function_name);
    return store(step.at("out"), name == "apply" ? function->apply(in) : function->forward_directly(in));
  }
  if (!in.empty() && std::holds_alternative<Tensor>(in[0])) {
    if (name == "take_grad") return store(step.at("out"), TensorList{std::get<Tensor>(in[0]).grad()});
    if (act(step, in)) return;
    if (const Tensor result = compute(step, in); result.defined()) return store(step.at("out"), TensorList{result});
  }
  throw std::invalid_argument("unknown step " + name);
}

void Machine::gradients(const json& step, const std::vector<Argument>& in) {
  // "outputs" of the inputs are differentiated (1 when not given), with as many "grad_outputs" after them if so marked.
  const std::size_t outputs = step.value("outputs", std::size_t{1});
  const std::size_t given = step.value("grad_outputs", false) ? outputs : 0;
  TensorList of, grad_outputs, with_respect_to;
  for (std::size_t i = 0; i < in.size(); ++i) {
    (i < outputs ? of : i < outputs + given ? grad_outputs : with_respect_to).push_back(std::get<Tensor>(in[i]));
  }
  const GradOptions options = {.retain_graph = step.at("retain_graph").get<bool>(),
                               .create_graph = step.at("create_graph").get<bool>(),
                               .allow_unused = step.at("allow_unused").get<bool>()};
  store(step.at("out"), grad(of, with_respect_to, grad_outputs, options));
}

// An undefined tensor takes its name away, as None does in programs.py.
void Machine::store(const json& names, const TensorList& tensors) {
  for (std::size_t i = 0; i < std::min(names.size(), tensors.size()); ++i)
    store(names.at(i).get<std::string>(), tensors[i]);
}

void Machine::store(const std::string& name, const Tensor& tensor) {
  if (!tensor.defined()) return erase(name);
  for (auto& [existing, value] : tensors_) {
    if (existing == name) {
      value = tensor;
      return;
    }
  }
  tensors_.emplace_back(name, tensor);
}

void Machine::erase(const std::string& name) {
  std::erase_if(tensors_, [&](const auto& entry) { return entry.first == name; });
}

}  // namespace gradlab::conformance
