// Runs what is asked for by name, each experiment once however often it is needed.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/device.h"
#include "src/lab/parameter.h"
#include "src/lab/render.h"
#include "src/lab/report.h"
#include "src/lab/scenario.h"

namespace gradlab {

// The experiment of this name, or those of the script. Throws UsageError when there is no such name.
std::span<const Scenario* const> scenarios_of(std::string_view name);

class Runner {
 public:
  Runner(std::vector<Setting> settings, Device device) : settings_(std::move(settings)), device_(device) {}

  // Runs on first use; throws as run_scenario does.
  const Report& report(const Scenario& scenario);
  std::vector<Report> reports(std::span<const Scenario* const> scenarios);
  // What the experiment or script of this name prints. Throws UsageError when there is no such name.
  std::string text(std::string_view name, RenderOptions options);

 private:
  std::vector<Setting> settings_;
  Device device_;
  std::map<std::string_view, Report> reports_;
};

}  // namespace gradlab
