#include "src/cli/command.h"

#include <fmt/format.h>

#include <algorithm>

#include "scenarios/catalogue.h"
#include "scenarios/scripts.h"
#include "src/lab/nearest.h"
#include "src/lab/usage_error.h"

namespace gradlab {

CommandParser::CommandParser(std::string_view name, std::string_view description, std::string_view examples)
    : CLI::App(std::string(description), fmt::format("gradlab {}", name)), command_(name) {
  set_help_flag("-h,--help", "Print this help");
  footer(fmt::format("Examples:\n{}", examples));
  allow_extras();
}

std::string CommandParser::refusal_of(const std::string& argument) const {
  if (!argument.starts_with('-')) return fmt::format("'{}' is one argument too many for {}", argument, command_);
  std::vector<std::string> names;
  for (const CLI::Option* option : get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  const std::vector<std::string_view> views(names.begin(), names.end());
  return fmt::format("{} has no option '{}'{}", command_, argument, did_you_mean(argument, views));
}

void CommandParser::refuse(std::string_view problem) const {
  throw UsageError(fmt::format("{} (options: gradlab {} --help)", problem, command_));
}

void CommandParser::refuse_repeated() const {
  for (const CLI::Option* option : get_options()) {
    if (option->get_expected_max() != 1 || option->count() < 2) continue;
    const std::string times = option->count() == 2 ? "twice" : fmt::format("{} times", option->count());
    refuse(fmt::format("{} is given {} and takes one value", option->get_name(), times));
  }
}

void CommandParser::refuse_empty() const {
  for (const CLI::Option* option : get_options()) {
    if (option->get_positional() || option->get_expected_max() != 1) continue;
    for (const std::string& value : option->results()) {
      if (value.empty()) refuse(fmt::format("{} needs a value", option->get_name()));
    }
  }
}

void CommandParser::read(const Arguments& arguments) {
  try {
    // CLI11 takes the arguments last one first.
    parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::CallForHelp&) {
    throw HelpRequest{help()};
  } catch (const CLI::ArgumentMismatch& error) {
    refuse_repeated();
    const std::string text = error.what();  // "--set: 1 required NAME=VALUE missing"
    refuse(fmt::format("{} needs a value", text.substr(0, text.find(':'))));
  } catch (const CLI::ParseError& error) {
    refuse(error.what());
  }
  refuse_empty();
  for (const std::string& extra : remaining()) {
    if (extra != "--") refuse(refusal_of(extra));
  }
}

void add_set_option(CLI::App& app, std::vector<std::string>& settings) {
  app.add_option("--set", settings, "Change a parameter (`gradlab show NAME` lists them); may be repeated")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
}

namespace {

// A setting has to mean something to one of the experiments.
void check_setting(const Setting& setting, std::span<const Scenario* const> scenarios) {
  std::vector<std::string_view> names;
  std::string accepted;
  for (const Scenario* scenario : scenarios) {
    for (const ParameterSpec& spec : scenario->parameters) names.push_back(spec.name);
    accepted += fmt::format("\n{} has {}", scenario->name, accepted_parameters(scenario->parameters));
  }
  if (std::find(names.begin(), names.end(), setting.name) != names.end()) return;
  throw UsageError(fmt::format("--set {}={}: there is no parameter '{}'{}{}", setting.name, setting.text, setting.name,
                               did_you_mean(setting.name, names), accepted));
}

}  // namespace

std::vector<Setting> parse_settings(const std::vector<std::string>& arguments,
                                    std::span<const Scenario* const> scenarios) {
  std::vector<Setting> settings;
  for (const std::string& argument : arguments) {
    settings.push_back(parse_setting(argument));
    check_setting(settings.back(), scenarios);
  }
  return settings;
}

void add_device_option(CLI::App& app, std::string& device) {
  app.add_option("--device", device, "Where tensors live and kernels run: cpu (default) or cuda")
      ->type_name("cpu|cuda");
}

Device parse_device(std::string_view text) {
  if (text == "cpu") return Device::kCpu;
  if (text == "cuda") return Device::kCuda;
  throw UsageError(fmt::format("--device takes cpu or cuda, not '{}'", text));
}

std::vector<std::string_view> all_output_names() {
  std::vector<std::string_view> names;
  for (const Scenario* scenario : all_scenarios()) names.push_back(scenario->name);
  for (const Script& script : all_scripts()) names.push_back(script.name);
  return names;
}

void throw_unknown_name(std::string_view name, std::span<const std::string_view> also) {
  std::vector<std::string_view> candidates = all_output_names();
  candidates.insert(candidates.end(), also.begin(), also.end());
  throw UsageError(fmt::format("there is no '{}'{}\nExperiments: {}\nScripts: 01, 02, 03, 04, all", name,
                               did_you_mean(name, candidates), [] {
                                 std::vector<std::string_view> names;
                                 for (const Scenario* scenario : all_scenarios()) names.push_back(scenario->name);
                                 return joined(names);
                               }()));
}

std::string joined(std::span<const std::string_view> words) { return fmt::format("{}", fmt::join(words, ", ")); }

}  // namespace gradlab
