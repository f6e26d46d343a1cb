// gradlab list: the experiments and scripts, a line each.
#include <fmt/format.h>

#include "scenarios/catalogue.h"
#include "scenarios/scripts.h"
#include "src/cli/command.h"

namespace gradlab {

CommandResult list_command(const Arguments& arguments) {
  CommandParser parser("list", "Lists the experiments, how loud the mistake in each is, and the scripts.",
                       "  gradlab list");
  parser.read(arguments);

  std::string text = fmt::format("{:<17} {:<8} {:<8} {}\n", "EXPERIMENT", "SECTION", "MISTAKE", "SHOWS");
  for (const Scenario* scenario : all_scenarios()) {
    text += fmt::format("{:<17} {:<8} {:<8} {}\n", scenario->name, scenario->section, mistake_name(scenario->mistake),
                        scenario->shows);
  }
  text += fmt::format("\n{:<26} {:<8} {}\n", "SCRIPT", "SHORT", "SHOWS");
  for (const Script& script : all_scripts()) {
    const std::string_view short_name = script.short_name == script.name ? "" : script.short_name;
    text += fmt::format("{:<26} {:<8} {}\n", script.name, short_name, script.shows);
  }
  return {.out = text};
}

}  // namespace gradlab
