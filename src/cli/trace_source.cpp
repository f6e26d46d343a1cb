#include "src/cli/trace_source.h"

#include <fmt/format.h>

#include <algorithm>

#include "src/cli/files.h"
#include "src/cli/runner.h"
#include "src/cli/version.h"
#include "src/lab/record.h"
#include "src/lab/trace_json.h"
#include "src/lab/usage_error.h"

namespace gradlab {

void add_trace_options(CommandParser& parser, TraceOptions& options) {
  parser.add_option("NAME", options.names, "Experiments, as `gradlab list` names them")->type_name("");
  parser.add_option("--from", options.from, "Read a trace that `gradlab trace NAME --json`, or another program, wrote")
      ->type_name("FILE");
  add_set_option(parser, options.settings);
  add_device_option(parser, options.device);
}

trace::Trace read_trace(const std::string& path) { return trace_from_json_lines(read_file(path), path); }

std::vector<trace::Trace> traces_of(const TraceOptions& options, std::string_view command) {
  if (!options.from.empty()) {
    if (!options.names.empty() || !options.settings.empty()) {
      throw UsageError("--from FILE stands in place of a NAME and of --set: the file says what was run");
    }
    return {read_trace(options.from)};
  }
  if (options.names.empty()) throw UsageError(fmt::format("{} needs a NAME: {}", command, joined(all_output_names())));
  std::vector<const Scenario*> scenarios;
  for (const std::string& name : options.names) {
    for (const Scenario* scenario : scenarios_of(name)) {
      if (std::ranges::find(scenarios, scenario) == scenarios.end()) scenarios.push_back(scenario);
    }
  }
  const std::vector<Setting> settings = parse_settings(options.settings, scenarios);
  const Device device = parse_device(options.device);
  std::vector<trace::Trace> traces;
  for (const Scenario* scenario : scenarios) {
    traces.push_back(record_trace(*scenario, settings, device, fmt::format("gradlab {}", version())));
  }
  return traces;
}

}  // namespace gradlab
