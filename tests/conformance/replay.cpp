#include "tests/conformance/replay.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "tests/conformance/describe.h"
#include "tests/conformance/machine.h"

namespace gradlab::conformance {
namespace {

using nlohmann::json;

// PyTorch's side: what every live tensor must show, kept up to date from the changes recorded at each step.
class Expectation {
 public:
  void take(const json& step) {
    const json& then = step.at("then");
    const json& changes = then.contains("state") ? then.at("state") : kNone;
    if (!then.contains("error")) forget(step, changes);
    for (const auto& [name, fields] : changes.items()) update(tensors_[name], fields);
  }

  const std::map<std::string, Observation>& tensors() const { return tensors_; }

 private:
  // A dropped tensor is gone, and so is a result that was None.
  void forget(const json& step, const json& changes) {
    if (step.at("do") == "drop") tensors_.erase(step.at("in").at(0).get<std::string>());
    if (step.at("do") != "grad" && step.at("do") != "take_grad") return;
    for (const json& name : step.at("out")) {
      if (!changes.contains(name)) tensors_.erase(name.get<std::string>());
    }
  }

  inline static const json kNone = json::object();
  std::map<std::string, Observation> tensors_;
};

void compare_errors(const json& then, const std::optional<StepError>& got, std::vector<Difference>& differences) {
  std::string type = "no error", message;
  if (then.contains("error")) {
    type = then.at("error").at("type");
    message = then.at("error").at("message");
  }
  const StepError seen = got.value_or(StepError{"no error", ""});
  if (type != seen.type) {
    const auto text = [](const std::string& name, const std::string& tail) {
      return tail.empty() ? name : name + ": " + tail;
    };
    differences.push_back({"", "error", text(type, message), text(seen.type, seen.message)});
  } else if (message != seen.message) {
    differences.push_back({"", "error text", message, seen.message});
  }
}

void compare_tensors(const Expectation& expectation, const Machine& machine, std::vector<Difference>& differences) {
  const auto& expected = expectation.tensors();
  for (const auto& [name, tensor] : machine.tensors()) {
    const Observation got = observe(tensor);
    const auto found = expected.find(name);
    if (found == expected.end()) {
      differences.push_back({name, "tensor", "None", "a tensor"});
      continue;
    }
    const std::vector<Difference> of_tensor = compare(name, found->second, got);
    differences.insert(differences.end(), of_tensor.begin(), of_tensor.end());
  }
  for (const auto& [name, observation] : expected) {
    const auto& live = machine.tensors();
    const bool is_live = std::any_of(live.begin(), live.end(), [&](const auto& entry) { return entry.first == name; });
    if (!is_live) differences.push_back({name, "tensor", "a tensor", "None"});
  }
}

std::vector<Difference> run(const json& step, Machine& machine, Expectation& expectation) {
  std::vector<Difference> differences;
  const std::optional<StepError> error = machine.run(step);
  compare_errors(step.at("then"), error, differences);
  expectation.take(step);
  try {
    compare_tensors(expectation, machine, differences);
  } catch (const json::exception&) {
    throw;
  } catch (const std::exception& thrown) {
    differences.push_back({"", "state", "no error when a tensor is looked at", thrown.what()});
  }
  return differences;
}

}  // namespace

Outcome replay(const json& program, const ReplayOptions& options) {
  Outcome outcome;
  Machine machine;
  Expectation expectation;
  std::size_t number = 0;
  try {
    outcome.id = program.at("id");
    for (const json& step : program.at("steps")) {
      ++number;
      if (options.reached != nullptr) *options.reached = number;
      std::vector<Difference> differences = run(step, machine, expectation);
      if (differences.empty()) continue;
      outcome.steps.push_back({number, describe(step), kind_of(step), std::move(differences)});
      if (!options.keeps_going) break;
    }
  } catch (const std::exception& error) {
    outcome.malformed = (number > 0 ? "step " + std::to_string(number) + ": " : "") + error.what();
  }
  return outcome;
}

}  // namespace gradlab::conformance
