#include "src/lab/record.h"

#include <algorithm>
#include <cctype>
#include <iterator>

#include "src/autograd/engine.h"
#include "src/autograd/inplace.h"
#include "src/autograd/keep_policy.h"
#include "src/lab/content.h"
#include "src/lab/findings.h"
#include "src/lab/lab.h"
#include "src/lab/recorder.h"
#include "src/lab/trace_text.h"

namespace gradlab {
namespace {

// One run: which steps in which order, and what is changed about it.
struct Plan {
  trace::RunKind kind = trace::RunKind::kAsWritten;
  std::string title = {};
  KeepPolicy keep = KeepPolicy::kAsWritten;
  std::vector<int> moved_steps = {};  // these run before the step `moved_before`
  int moved_before = 0;
  int confessing_step = 0;  // after this step increment_version is called on the tensor `confessed`
  std::string confessed = {};
};

class Recording {
 public:
  Recording(const Scenario& scenario, std::span<const Setting> settings, Device device)
      : scenario_(scenario), settings_(settings), device_(device) {}

  trace::Run run(const Plan& plan) const {
    Lab lab(scenario_, settings_, device_);
    Recorder recorder(plan.kind, plan.title);
    for (const Step& step : steps_of(lab, plan)) {
      if (!run_step(lab, step, plan.keep, recorder)) break;
    }
    return recorder.take();
  }

 private:
  static std::vector<Step> steps_of(Lab& lab, const Plan& plan) {
    std::vector<Step> steps;
    std::ranges::copy_if(lab.steps(), std::back_inserter(steps),
                         [](const Step& step) { return step.role != StepRole::kObserve; });
    const auto number = [](int wanted) { return [wanted](const Step& step) { return step.number == wanted; }; };
    for (const int moved : plan.moved_steps) {
      const auto from = std::ranges::find_if(steps, number(moved));
      const auto to = std::ranges::find_if(steps, number(plan.moved_before));
      std::rotate(to, from, from + 1);
    }
    if (plan.confessing_step != 0) {
      Step& step = *std::ranges::find_if(steps, number(plan.confessing_step));
      step.code.run = [&tensor = lab.named(plan.confessed), code = step.code.run] {
        code();
        increment_version(tensor);
      };
    }
    return steps;
  }

  // False when an error outside backward ended the run.
  static bool run_step(Lab& lab, const Step& step, KeepPolicy keep, Recorder& recorder) {
    std::optional<ErrorValue> thrown;
    recorder.begin_step(step);
    try {
      const ObserverGuard observed(&recorder);
      const KeepPolicyGuard policy(keep);
      lab.run_step(step);
    } catch (const Error& error) {
      thrown = ErrorValue{error.type_name(), error.what()};
    }
    std::vector<Recorder::Named> named;
    for (const Lab::NamedTensor& slot : lab.named_tensors()) named.push_back({slot.name, slot.tensor});
    recorder.end_step(named, thrown ? thrown : step.role == StepRole::kBackward ? lab.error() : std::nullopt);
    return !thrown;
  }

  const Scenario& scenario_;
  std::span<const Setting> settings_;
  Device device_;
};

bool names(std::string_view code, std::string_view name) {
  const auto is_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  for (std::size_t at = code.find(name); at != std::string_view::npos; at = code.find(name, at + 1)) {
    const bool begins = at == 0 || !is_word(code[at - 1]);
    const std::size_t end = at + name.size();
    if (begins && (end == code.size() || !is_word(code[end]))) return true;
  }
  return false;
}

// Whether a step can run before step `before` does: it only writes, and every tensor that it names is there by then.
bool can_move(const trace::Run& run, int step, int before) {
  const trace::Step& statement = step_of(run, step);
  if (statement.role != StepRole::kWrite || step < before) return false;
  return std::ranges::none_of(run.events, [&](const trace::Event& event) {
    const auto* made = trace::as<trace::TensorMade>(event);
    return made != nullptr && event.step >= before && event.step < step && names(statement.code, made->tensor);
  });
}

bool has_name(const Lab& lab, std::string_view name) {
  return std::ranges::any_of(lab.named_tensors(), [&](const auto& slot) { return slot.name == name; });
}

// The repairs that make a difference for what went wrong: each is one change to the program.
std::vector<Plan> repairs(const trace::Run& as_written, const Lab& lab) {
  const std::optional<StaleRead> stale = first_stale_read(as_written);
  if (!stale) return {};
  const std::string& tensor = stale->tensor;
  const bool is_op = stale->by == trace::SavedBy::kOp;
  const auto repair = [](std::string title) {
    return Plan{.kind = trace::RunKind::kRepair, .title = std::move(title)};
  };
  std::vector<Plan> plans;
  if (stale->by == trace::SavedBy::kCtxAttribute) {
    plans.push_back(repair("ctx.save_for_backward(" + tensor + ")"));
    plans.back().keep = KeepPolicy::kGuardCtx;
  }
  plans.push_back(repair(is_op ? "saved_tensors_hooks(torch.clone, lambda t: t)"
                               : "ctx.save_for_backward(" + tensor + ".clone())"));
  plans.back().keep = KeepPolicy::kFrozen;
  const auto movable = [&](int step) { return can_move(as_written, step, stale->saved_step); };
  if (!stale->written_steps.empty() && std::ranges::all_of(stale->written_steps, movable)) {
    plans.push_back(repair(steps_text(stale->written_steps) + " before step " + std::to_string(stale->saved_step)));
    plans.back().moved_steps = stale->written_steps;
    plans.back().moved_before = stale->saved_step;
  }
  if (stale->is_ghost && stale->by != trace::SavedBy::kCtxAttribute && !stale->is_refused && has_name(lab, tensor)) {
    plans.push_back(repair("increment_version(" + tensor + ") after step " + std::to_string(stale->written_step)));
    plans.back().confessing_step = stale->written_step;
    plans.back().confessed = tensor;
  }
  return plans;
}

}  // namespace

trace::Trace record_trace(const Scenario& scenario, std::span<const Setting> settings, Device device,
                          std::string producer) {
  require_device(device);
  const Lab listed(scenario, settings, device);
  trace::Trace trace{.producer = std::move(producer),
                     .program = std::string(scenario.name),
                     .device = device_name(device),
                     .parameters = {},
                     .runs = {}};
  for (const Parameter& parameter : listed.report().parameters) {
    trace.parameters.emplace_back(parameter.name, parameter.text);
  }
  const Recording recording(scenario, settings, device);
  trace.runs.push_back(recording.run({}));
  trace.runs.push_back(recording.run({.kind = trace::RunKind::kFrozen, .keep = KeepPolicy::kFrozen}));
  for (const Plan& plan : repairs(trace.runs.front(), listed)) trace.runs.push_back(recording.run(plan));
  return trace;
}

}  // namespace gradlab
