#include "src/cli/runner.h"

#include "scenarios/catalogue.h"
#include "scenarios/scripts.h"
#include "src/cli/command.h"
#include "src/lab/lab.h"

namespace gradlab {

std::span<const Scenario* const> scenarios_of(std::string_view name) {
  if (const Script* script = find_script(name)) return script->scenarios;
  for (const Scenario* const& scenario : all_scenarios()) {
    if (scenario->name == name) return {&scenario, 1};
  }
  throw_unknown_name(name);
}

const Report& Runner::report(const Scenario& scenario) {
  const auto found = reports_.find(scenario.name);
  if (found != reports_.end()) return found->second;
  return reports_.emplace(scenario.name, run_scenario(scenario, settings_, device_)).first->second;
}

std::vector<Report> Runner::reports(std::span<const Scenario* const> scenarios) {
  std::vector<Report> reports;
  for (const Scenario* scenario : scenarios) reports.push_back(report(*scenario));
  return reports;
}

std::string Runner::text(std::string_view name, RenderOptions options) {
  const std::vector<Report> all = reports(scenarios_of(name));
  const Script* script = find_script(name);
  return script != nullptr ? script->render(all, options) : render_text(all.front(), options);
}

}  // namespace gradlab
