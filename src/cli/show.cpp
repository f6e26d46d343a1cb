// gradlab show NAME...: what an experiment asks, runs, accepts and prints. It runs nothing.
#include <fmt/format.h>

#include "scenarios/catalogue.h"
#include "scenarios/scripts.h"
#include "src/cli/command.h"
#include "src/cli/text_layout.h"
#include "src/lab/golden_diff.h"
#include "src/lab/goldens.h"
#include "src/lab/lab.h"
#include "src/lab/trace_text.h"
#include "src/lab/usage_error.h"

namespace gradlab {
namespace {

std::string expected_output(std::string_view name) {
  return "Expected output\n" + indented(golden_text(golden_file_name(name, Device::kCpu)).value_or("(none kept)"));
}

std::string shown(const Scenario& scenario) {
  const Lab lab(scenario, {});
  const std::string mistake =
      scenario.mistake == Mistake::kNone ? "" : fmt::format(", a {} mistake", mistake_name(scenario.mistake));
  std::string text = fmt::format("{} (section {}{})\n{}\nQuestion\n{}\nSteps", scenario.name, scenario.section, mistake,
                                 filled(scenario.shows, "  ", 2), filled(scenario.question, "  ", 2));
  std::string file;
  std::string steps;
  for (const Step& step : lab.steps()) {
    if (step.role == StepRole::kObserve) continue;
    file = step.code.file;
    steps += fmt::format("  {:>2}  {}\n", step.number, step.code.text);
  }
  text += fmt::format(" ({})\n{}\n", file, steps);
  for (const Source& function : scenario.functions) text += indented(laid_out(function.text)) + "\n";
  text += "Parameters\n";
  for (const ParameterSpec& spec : scenario.parameters) {
    const std::string_view default_text = spec.kind == ParameterKind::kCount ? "as many as x has" : spec.default_text;
    text += filled(fmt::format("{} (default: {}; {})", spec.meaning, default_text, accepted_form(spec)),
                   fmt::format("  {:<8} ", spec.name), 11);
  }
  return text + "\n" + expected_output(scenario.name);
}

std::string shown(const Script& script) {
  std::string text = fmt::format("{}\n{}\nExperiments\n", script.name, filled(script.shows, "  ", 2));
  for (const Scenario* scenario : script.scenarios) {
    text += fmt::format("  {:<17} {}\n", scenario->name, scenario->shows);
  }
  return text + "\n" + expected_output(script.name);
}

}  // namespace

CommandResult show_command(const Arguments& arguments) {
  std::vector<std::string> names;
  CommandParser parser("show",
                       "Shows what an experiment asks, the statements it runs, its parameters and what it prints.",
                       "  gradlab show save-unsafe\n"
                       "  gradlab show 04");
  parser.add_option("NAME", names, "Experiments and scripts, as `gradlab list` names them")->type_name("");
  parser.read(arguments);
  if (names.empty()) throw UsageError(fmt::format("show needs a NAME: {}", joined(all_output_names())));

  CommandResult result;
  for (const std::string& name : names) {
    if (!result.out.empty()) result.out += "\n";
    if (const Script* script = find_script(name)) {
      result.out += shown(*script);
    } else if (const Scenario* scenario = find_scenario(name)) {
      result.out += shown(*scenario);
    } else {
      throw_unknown_name(name);
    }
  }
  return result;
}

}  // namespace gradlab
