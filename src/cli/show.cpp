// gradlab show NAME...: what an experiment asks, runs, accepts and prints. It runs nothing.
#include <fmt/format.h>

#include "scenarios/catalogue.h"
#include "scenarios/scripts.h"
#include "src/cli/command.h"
#include "src/lab/golden_diff.h"
#include "src/lab/goldens.h"
#include "src/lab/lab.h"
#include "src/lab/usage_error.h"

namespace gradlab {
namespace {

constexpr std::size_t kWidth = 80;

// `start` and `text` in lines of at most kWidth characters; all but the first begin with `indent` spaces.
std::string wrapped(std::string_view text, std::string start = "  ", std::size_t indent = 2) {
  std::string lines;
  std::string line = std::move(start);
  bool is_empty = true;  // no word on this line yet
  while (!text.empty()) {
    const std::size_t space = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, space);
    if (!is_empty && line.size() + 1 + word.size() > kWidth) {
      lines += std::exchange(line, std::string(indent, ' ')) + "\n";
      is_empty = true;
    }
    line += (is_empty ? "" : " ") + std::string(word);
    is_empty = false;
    text.remove_prefix(std::min(space + 1, text.size()));
  }
  return lines + line + "\n";
}

std::string indented(std::string_view text) {
  std::string lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines += end == 0 ? "\n" : fmt::format("  {}\n", text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::string expected_output(std::string_view name) {
  return "Expected output\n" + indented(golden_text(golden_file_name(name, Device::kCpu)).value_or("(none kept)"));
}

std::string shown(const Scenario& scenario) {
  const Lab lab(scenario, {});
  const std::string mistake =
      scenario.mistake == Mistake::kNone ? "" : fmt::format(", a {} mistake", mistake_name(scenario.mistake));
  std::string text = fmt::format("{} (section {}{})\n{}\nQuestion\n{}\nSteps", scenario.name, scenario.section, mistake,
                                 wrapped(scenario.shows), wrapped(scenario.question));
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
    text += wrapped(fmt::format("{} (default: {}; {})", spec.meaning, default_text, accepted_form(spec.kind)),
                    fmt::format("  {:<8} ", spec.name), 11);
  }
  return text + "\n" + expected_output(scenario.name);
}

std::string shown(const Script& script) {
  std::string text = fmt::format("{}\n{}\nExperiments\n", script.name, wrapped(script.shows));
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
