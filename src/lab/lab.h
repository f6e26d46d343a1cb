// Where an experiment runs: it owns the tensors, the parameters and the steps.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/autograd/grad_mode.h"
#include "src/lab/report.h"
#include "src/lab/scenario.h"
#include "src/lab/step.h"
#include "src/lab/value.h"

namespace gradlab {

class Lab {
 public:
  // Lists the scenario's steps and runs none. Throws UsageError when a setting does not fit its parameter; settings for
  // parameters that the scenario does not have are left alone.
  Lab(const Scenario& scenario, std::span<const Setting> settings, Device device = Device::kCpu);
  Lab(const Lab&) = delete;
  Lab& operator=(const Lab&) = delete;

  // ---- for a scenario, while it lists its steps ----
  // Everything returned by reference lives as long as the Lab (NOTE [Steps outlive the function that lists them]).

  // The tensor of this name, undefined until a step assigns to it.
  Tensor& named(std::string_view name);
  // The elements of an input: the values given, repeated or cut to `n` where the scenario has that parameter.
  const std::vector<double>& values(std::string_view parameter) const;
  const double& number(std::string_view parameter) const;
  const std::string& word(std::string_view parameter) const;
  // float32 on the run's device, requires_grad set.
  const TensorOptions& requires_grad() const { return leaf_options_; }

  void setup(Code code) { add_step(StepRole::kSetup, std::move(code)); }
  void forward(Code code) { add_step(StepRole::kForward, std::move(code)); }
  void write(Code code) { add_step(StepRole::kWrite, std::move(code)); }
  void backward(Code code) { add_step(StepRole::kBackward, std::move(code)); }

  // Prints label and value at this point of the run.
  template <class Compute>
  void observe(std::string_view key, std::string_view label, Compute compute) {
    add_observation(key, label, true, [compute] { return value_of(compute()); });
  }
  // Keeps the value under `key` without printing it.
  template <class Compute>
  void measure(std::string_view key, Compute compute) {
    add_observation(key, "", false, [compute] { return value_of(compute()); });
  }
  // What the experiment is to show; `holds` is asked after the last step.
  void claim(std::string_view text, std::function<bool()> holds);

  // ---- while it runs ----

  // What the latest backward step raised.
  const std::optional<ErrorValue>& error() const { return error_; }
  // What was observed so far under `key`. Throws std::out_of_range.
  const Value& observed(std::string_view key) const { return report_.value(key); }
  // The same experiment run without its writes and observations: what its gradients should have been. Runs on first
  // use.
  Lab& without_writes();

  // ---- for whoever runs it ----

  struct NamedTensor {
    std::string name;
    Tensor tensor;
  };

  const std::vector<Step>& steps() const { return steps_; }
  // In the order in which the scenario named them.
  const std::deque<NamedTensor>& named_tensors() const { return tensors_; }
  // Runs the steps in order. An Error is part of the result when a backward step raises it and is thrown on otherwise.
  // Throws DeviceError. REQUIRES: not run before.
  const Report& run();
  // One of steps(), for whoever runs them in an order of their own or looks in between. An Error raised by a backward
  // step is in error() afterwards, any other is thrown on. Throws DeviceError.
  void run_step(const Step& step);
  // What was run and observed so far.
  const Report& report() const { return report_; }

 private:
  void add_step(StepRole role, Code code);
  void add_observation(std::string_view key, std::string_view label, bool is_printed, std::function<Value()> compute);
  const Parameter& parameter(std::string_view name) const;

  struct PendingClaim {
    std::string text;
    std::function<bool()> holds;
  };

  const Scenario& scenario_;
  std::vector<Setting> settings_;
  TensorOptions leaf_options_;
  std::vector<Parameter> parameters_;  // of an input: repeated
  std::deque<NamedTensor> tensors_;    // references to its elements stay valid
  std::vector<Step> steps_;
  std::vector<PendingClaim> claims_;
  std::optional<ErrorValue> error_;
  Report report_;
  std::unique_ptr<Lab> without_writes_;
};

// Runs a scenario on `device`. Throws UsageError, DeviceError, and an Error raised outside a backward step.
Report run_scenario(const Scenario& scenario, std::span<const Setting> settings, Device device = Device::kCpu);

// Whether two gradients have equal values, without tolerance; nan equals nan, and two undefined ones are the same.
bool same_gradient(const Tensor& a, const Tensor& b);

}  // namespace gradlab
