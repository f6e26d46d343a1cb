#include "tests/conformance/replay.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "tests/conformance/describe.h"
#include "tests/conformance/machine.h"
#include "tests/conformance/noise.h"

namespace gradlab::conformance {
namespace {

using nlohmann::json;
using Observations = std::map<std::string, Observation>;

// PyTorch's side: what every live tensor must show, kept up to date from the changes recorded at each step.
class Expectation {
 public:
  void take(const json& step) {
    const json& then = step.at("then");
    const json& changes = then.contains("state") ? then.at("state") : kNone;
    if (!then.contains("error")) forget(step, changes);
    for (const auto& [name, fields] : changes.items()) update(tensors_[name], fields);
  }

  const Observations& tensors() const { return tensors_; }

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
  Observations tensors_;
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

using Spreads = std::map<std::string, Spread>;

Observations observe_all(const Machine& machine) {
  Observations observations;
  for (const auto& [name, tensor] : machine.tensors()) observations[name] = observe(tensor);
  return observations;
}

// What the tensors show after the first `count` steps of a program that runs with noise.
Observations observe_with_noise(const json& steps, std::size_t count, std::uint32_t seed) {
  Machine machine;
  Noise noise(seed);
  Observations observations;
  for (std::size_t i = 0; i < count; ++i) {
    noise.begin_step(steps[i].at("do").get_ref<const std::string&>());
    const ObserverGuard guard(&noise);
    machine.run(steps[i]);
    observations = observe_all(machine);  // each time: to look at a view may change what the program does later
  }
  return observations;
}

Spreads spreads_after(const json& steps, std::size_t count, const Observations& got) {
  constexpr std::uint32_t kRuns = 16;
  Spreads spreads;
  for (std::uint32_t seed = 1; seed <= kRuns; ++seed) {
    for (const auto& [name, with_noise] : observe_with_noise(steps, count, seed)) {
      const auto found = got.find(name);
      if (found != got.end()) widen(spreads[name], found->second, with_noise);
    }
  }
  return spreads;
}

std::vector<Difference> compare_tensors(const Observations& expected, const Observations& got, const Spreads& spreads) {
  std::vector<Difference> differences;
  for (const auto& [name, observation] : got) {
    const auto found = expected.find(name);
    if (found == expected.end()) {
      differences.push_back({name, "tensor", "None", "a tensor"});
      continue;
    }
    const auto spread = spreads.find(name);
    const std::vector<Difference> of_tensor =
        compare(name, found->second, observation, spread == spreads.end() ? Spread() : spread->second);
    differences.insert(differences.end(), of_tensor.begin(), of_tensor.end());
  }
  for (const auto& [name, observation] : expected) {
    if (!got.contains(name)) differences.push_back({name, "tensor", "a tensor", "None"});
  }
  return differences;
}

bool is_about_values(const Difference& difference) {
  return difference.field == "values" || (difference.field == "grad" && difference.expected != "None" && difference.got != "None");
}

// A program under way on the engine, beside what PyTorch showed.
class Replay {
 public:
  explicit Replay(const json& steps) : steps_(steps) {}

  // The differences after the next step.
  std::vector<Difference> run_next() {
    const json& step = steps_[done_++];
    std::vector<Difference> differences;
    compare_errors(step.at("then"), machine_.run(step), differences);
    expectation_.take(step);
    try {
      const std::vector<Difference> of_tensors = compare_all();
      differences.insert(differences.end(), of_tensors.begin(), of_tensors.end());
    } catch (const json::exception&) {
      throw;
    } catch (const std::exception& thrown) {
      differences.push_back({"", "state", "no error when a tensor is looked at", thrown.what()});
    }
    return differences;
  }

  bool needed_noise() const { return needed_noise_; }

 private:
  std::vector<Difference> compare_all() {
    const Observations got = observe_all(machine_);
    std::vector<Difference> differences = compare_tensors(expectation_.tensors(), got, {});
    if (std::ranges::none_of(differences, is_about_values)) return differences;
    const std::size_t count = differences.size();
    differences = compare_tensors(expectation_.tensors(), got, spreads_after(steps_, done_, got));
    needed_noise_ = needed_noise_ || differences.size() < count;
    return differences;
  }

  const json& steps_;
  std::size_t done_ = 0;
  Machine machine_;
  Expectation expectation_;
  bool needed_noise_ = false;
};

}  // namespace

Outcome replay(const json& program, const ReplayOptions& options) {
  Outcome outcome;
  std::size_t number = 0;
  try {
    outcome.id = program.at("id");
    const json& steps = program.at("steps");
    Replay replay(steps);
    for (const json& step : steps) {
      ++number;
      if (options.reached != nullptr) *options.reached = number;
      std::vector<Difference> differences = replay.run_next();
      outcome.needed_noise = replay.needed_noise();
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
