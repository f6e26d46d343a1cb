#include "src/lab/lab.h"

#include <cassert>
#include <stdexcept>

namespace gradlab {
namespace {

// Repeats or cuts every input to the count.
void apply_count(std::vector<Parameter>& parameters) {
  for (const Parameter& count : parameters) {
    if (count.kind != ParameterKind::kCount) continue;
    for (Parameter& input : parameters) {
      if (input.kind != ParameterKind::kValues) continue;
      const std::vector<double> pattern = std::move(input.values);
      input.values.resize(static_cast<std::size_t>(count.values.front()));
      for (std::size_t i = 0; i < input.values.size(); ++i) input.values[i] = pattern[i % pattern.size()];
    }
  }
}

}  // namespace

Lab::Lab(const Scenario& scenario, std::span<const Setting> settings, Device device)
    : scenario_(scenario),
      settings_(settings.begin(), settings.end()),
      leaf_options_{.dtype = DType::kFloat32, .device = device, .requires_grad = true},
      parameters_(resolve_parameters(scenario.parameters, settings)) {
  report_.parameters = parameters_;  // the inputs as given, before they are repeated
  apply_count(parameters_);
  report_.name = scenario.name;
  report_.section = scenario.section;
  report_.device = device;
  scenario.list_steps(*this);
}

Tensor& Lab::named(std::string_view name) {
  for (NamedTensor& slot : tensors_) {
    if (slot.name == name) return slot.tensor;
  }
  tensors_.push_back({std::string(name), Tensor()});
  return tensors_.back().tensor;
}

const Parameter& Lab::parameter(std::string_view name) const {
  for (const Parameter& parameter : parameters_) {
    if (parameter.name == name) return parameter;
  }
  throw std::out_of_range(report_.name + " declares no parameter '" + std::string(name) + "'");
}

const std::vector<double>& Lab::values(std::string_view name) const { return parameter(name).values; }

const double& Lab::number(std::string_view name) const { return parameter(name).values.front(); }

const std::string& Lab::word(std::string_view name) const { return parameter(name).text; }

void Lab::add_step(StepRole role, Code code) {
  int number = 1;
  for (const Step& step : steps_) number += step.role == StepRole::kObserve ? 0 : 1;
  steps_.push_back({role, number, std::move(code)});
}

void Lab::add_observation(std::string_view key, std::string_view label, bool is_printed,
                          std::function<Value()> compute) {
  steps_.push_back(
      {StepRole::kObserve,
       0,
       {.text = {},
        .file = {},
        .line = 0,
        .run = [this, key = std::string(key), label = std::string(label), is_printed, compute = std::move(compute)] {
          report_.observations.push_back({key, label, compute(), is_printed});
        }}});
}

void Lab::claim(std::string_view text, std::function<bool()> holds) {
  claims_.push_back({std::string(text), std::move(holds)});
}

void Lab::run_step(const Step& step) {
  if (step.role == StepRole::kObserve) return step.code.run();
  report_.steps.push_back(
      {step.number, step.role, std::string(step.code.text), std::string(step.code.file), step.code.line, std::nullopt});
  if (step.role != StepRole::kBackward) return step.code.run();
  error_.reset();
  try {
    step.code.run();
  } catch (const Error& error) {
    error_ = ErrorValue{error.type_name(), error.what()};
    report_.steps.back().error = error_;
  }
}

const Report& Lab::run() {
  assert(report_.steps.empty());
  require_device(report_.device);
  for (const Step& step : steps_) run_step(step);
  for (const PendingClaim& claim : claims_) report_.claims.push_back({claim.text, claim.holds()});
  return report_;
}

Lab& Lab::without_writes() {
  if (!without_writes_) {
    without_writes_ = std::make_unique<Lab>(scenario_, settings_, report_.device);
    for (const Step& step : without_writes_->steps_) {
      if (step.role != StepRole::kWrite && step.role != StepRole::kObserve) without_writes_->run_step(step);
    }
  }
  return *without_writes_;
}

Report run_scenario(const Scenario& scenario, std::span<const Setting> settings, Device device) {
  return Lab(scenario, settings, device).run();
}

bool same_gradient(const Tensor& a, const Tensor& b) {
  if (!a.defined() || !b.defined()) return a.defined() == b.defined();
  return allclose(a, b, 0.0, 0.0, true);
}

}  // namespace gradlab
