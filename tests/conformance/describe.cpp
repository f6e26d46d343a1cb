#include "tests/conformance/describe.h"

#include <nlohmann/json.hpp>

#include "src/tensor/format.h"

namespace gradlab::conformance {
namespace {

using nlohmann::json;

void append(std::string& list, const std::string& item) { list += (list.empty() ? "" : ", ") + item; }

std::string python_text(const json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean()) return value.get<bool>() ? "True" : "False";
  if (value.is_number_float()) return python_float(value.get<double>());
  if (!value.is_array()) return value.dump();
  std::string items;
  for (const json& item : value) append(items, python_text(item));
  return "[" + items + "]";
}

std::string leaf(const json& step) {
  std::string values;
  for (const json& value : step.at("values")) {
    append(values, python_float(std::strtod(value.get_ref<const std::string&>().c_str(), nullptr)));
  }
  return "tensor([" + values + "]).view(" + python_text(step.at("shape")) + "), dtype=" + python_text(step.at("dtype")) +
         ", requires_grad=" + python_text(step.at("requires_grad"));
}

std::string call(const json& step) {
  const std::string name = step.at("do");
  if (name == "tensor") return leaf(step);
  std::string receiver, arguments;
  for (const json& input : step.value("in", json::array())) {
    if (receiver.empty() && !step.contains("function") && name != "grad") {
      receiver = python_text(input);
    } else {
      append(arguments, python_text(input));
    }
  }
  for (const auto& [key, value] : step.items()) {
    if (key == "do" || key == "in" || key == "out" || key == "then" || key == "no_grad" || key == "function") continue;
    append(arguments, key + "=" + python_text(value));
  }
  if (name == "apply") return python_text(step.at("function")) + ".apply(" + arguments + ")";
  if (name == "forward_directly") return python_text(step.at("function")) + ".forward(Ctx(), " + arguments + ")";
  if (name == "drop") return "del " + receiver;
  return (receiver.empty() ? "" : receiver + ".") + name + "(" + arguments + ")";
}

}  // namespace

std::string describe(const json& step) {
  std::string results;
  for (const json& name : step.value("out", json::array())) append(results, python_text(name));
  return (step.value("no_grad", false) ? "with no_grad: " : "") + (results.empty() ? "" : results + " = ") + call(step);
}

std::string kind_of(const json& step) {
  const std::string name = step.at("do");
  return step.contains("function") ? name + " " + step.at("function").get<std::string>() : name;
}

}  // namespace gradlab::conformance
