// gradlab run NAME...: runs experiments and scripts, and prints what they observe.
#include <fmt/format.h>

#include <algorithm>

#include "src/cli/command.h"
#include "src/cli/runner.h"
#include "src/lab/render.h"
#include "src/lab/usage_error.h"

namespace gradlab {
namespace {

struct RunOptions {
  std::vector<std::string> names;
  std::vector<std::string> settings;
  std::string device = "cpu";
  bool addresses = false;
  bool json = false;
};

RunOptions read_run_options(const Arguments& arguments) {
  RunOptions options;
  CommandParser parser("run", "Runs experiments or the chapter's scripts, in the order given.",
                       "  gradlab run save-safe save-unsafe\n"
                       "  gradlab run 03                                   (`run` may be left out: gradlab 03)\n"
                       "  gradlab save-unsafe --set x=5 --set factor=2\n"
                       "  gradlab function --set x=-3,0,3\n"
                       "  gradlab function --set n=1000000 --device cuda\n"
                       "  gradlab all --json");
  parser.add_option("NAME", options.names, "Experiments and scripts, as `gradlab list` names them")->type_name("");
  add_set_option(parser, options.settings);
  parser
      .add_option_function<std::string>(
          "--backward", [&](const std::string& word) { options.settings.push_back("backward=" + word); },
          "Of `function`: --set backward=kernel or arithmetic (default)")
      ->type_name("WORD");
  add_device_option(parser, options.device);
  parser.add_flag("--addresses", options.addresses, "Print real addresses in place of `...`");
  parser.add_flag("--json", options.json, "Print one JSON document instead of text");
  parser.read(arguments);
  return options;
}

// Each experiment that `names` ask for, once.
std::vector<const Scenario*> asked_for(const std::vector<std::string>& names) {
  std::vector<const Scenario*> scenarios;
  for (const std::string& name : names) {
    for (const Scenario* scenario : scenarios_of(name)) {
      if (std::find(scenarios.begin(), scenarios.end(), scenario) == scenarios.end()) scenarios.push_back(scenario);
    }
  }
  return scenarios;
}

}  // namespace

CommandResult run_command(const Arguments& arguments) {
  const RunOptions options = read_run_options(arguments);
  if (options.names.empty()) throw UsageError(fmt::format("run needs a NAME: {}", joined(all_output_names())));
  const std::vector<const Scenario*> scenarios = asked_for(options.names);
  Runner runner(parse_settings(options.settings, scenarios), parse_device(options.device));
  const RenderOptions render_options = {.with_addresses = options.addresses};

  CommandResult result;
  if (options.json) {
    result.out = render_json(runner.reports(scenarios), render_options);
  } else {
    for (const std::string& name : options.names) result.out += runner.text(name, render_options);
  }
  for (const Scenario* scenario : scenarios) {
    for (const Claim& claim : runner.report(*scenario).claims) {
      if (claim.holds) continue;
      result.status = kExitNotReproduced;
      result.err += fmt::format("gradlab: {}: not so with these values: {}\n", scenario->name, claim.text);
    }
  }
  return result;
}

}  // namespace gradlab
