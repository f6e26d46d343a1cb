#include "src/cli/cli.h"

#include <unistd.h>

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <new>
#include <ostream>
#include <sstream>

#include "scenarios/catalogue.h"
#include "scenarios/scripts.h"
#include "src/cli/command.h"
#include "src/cli/help.h"
#include "src/cli/version.h"
#include "src/lab/nearest.h"
#include "src/lab/usage_error.h"

namespace gradlab {

std::span<const Command> all_commands() {
  static constexpr Command kCommands[] = {
      {"run", "run experiments or the chapter's scripts and print what they observe", run_command},
      {"list", "list the experiments and scripts", list_command},
      {"show", "show an experiment's question, steps, parameters and expected output", show_command},
      {"explain", "say why: who saved, who wrote, who read, and the right gradient", explain_command},
      {"graph", "draw the graph at a step: nodes, what they saved, and where a trail stops", graph_command},
      {"quiz", "guess what an experiment will do, then see it run", nullptr, quiz_command},
      {"trace", "print what happens in an experiment, event by event", trace_command},
      {"diff", "name the first event in which two traces differ", diff_command},
      {"verify", "run experiments and compare the output with what is expected", verify_command},
  };
  return kCommands;
}

namespace {

// Options that take the next argument as their value, wherever they stand.
bool takes_value(std::string_view option) {
  static constexpr std::string_view kOptions[] = {"--set", "--device", "--golden", "--backward", "--format", "--at",
                                                  "-o",    "--output", "--from",   "--color",   "--answers",  "--save"};
  return std::ranges::find(kOptions, option) != std::end(kOptions);
}

// The position of the first argument that is neither an option nor an option's value.
std::size_t first_word(std::span<const std::string> arguments) {
  std::size_t i = 0;
  while (i < arguments.size() && arguments[i].starts_with('-')) i += takes_value(arguments[i]) ? 2 : 1;
  return std::min(i, arguments.size());
}

// Without a subcommand only --help means something.
CommandResult run_without_word(std::span<const std::string> arguments) {
  for (const std::string& argument : arguments) {
    if (argument == "--help" || argument == "-h") return {.out = help_text()};
  }
  return {.status = kExitUsage, .err = fmt::format("gradlab: what should be run? {}\n", usage_hint())};
}

CommandResult run_by_word(std::span<const std::string> arguments, Input in, std::ostream& out) {
  const std::size_t at = first_word(arguments);
  const auto before_word = arguments.first(at);
  if (std::find(before_word.begin(), before_word.end(), "--version") != before_word.end()) {
    return {.out = fmt::format("gradlab {}\n", version())};
  }
  if (at == arguments.size()) return run_without_word(arguments);
  const std::string& word = arguments[at];
  Arguments rest(arguments.begin(), arguments.end());
  rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(at));
  if (word == "help") {
    if (rest.empty()) return {.out = help_text()};
    rest.push_back("--help");
    return run_by_word(rest, in, out);
  }
  for (const Command& command : all_commands()) {
    if (command.name == word) return command.talk != nullptr ? command.talk(rest, in, out) : command.run(rest);
  }
  if (find_scenario(word) == nullptr && find_script(word) == nullptr) {
    std::vector<std::string_view> commands = {"help"};
    for (const Command& command : all_commands()) commands.push_back(command.name);
    throw_unknown_name(word, commands);
  }
  return run_command({arguments.begin(), arguments.end()});
}

CommandResult run_catching_errors(std::span<const std::string> arguments, Input in, std::ostream& out) {
  try {
    return run_by_word(arguments, in, out);
  } catch (const HelpRequest& help) {
    return {.out = help.text};
  } catch (const UsageError& error) {
    return {.status = kExitUsage, .err = fmt::format("gradlab: {}\n", error.what())};
  } catch (const DeviceError& error) {
    return {.status = kExitEnvironment, .err = fmt::format("gradlab: {}\n", error.what())};
  } catch (const EnvironmentError& error) {
    return {.status = kExitEnvironment, .err = fmt::format("gradlab: {}\n", error.what())};
  } catch (const std::bad_alloc&) {
    return {.status = kExitEnvironment, .err = "gradlab: out of memory; try a smaller --set n=...\n"};
  } catch (const std::exception& error) {
    return {.status = kExitNotReproduced, .err = fmt::format("gradlab: {}\n", error.what())};
  }
}

// https://no-color.org: any value but an empty one switches colour off.
bool takes_color(const std::ostream& out) {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string_view(value == nullptr ? "" : value);
  };
  return &out == &std::cout && isatty(STDOUT_FILENO) == 1 && variable("NO_COLOR").empty() && variable("TERM") != "dumb";
}

}  // namespace

int run_command_line(std::span<const std::string> arguments, Input in, std::ostream& out, std::ostream& err) {
  CommandResult result = run_catching_errors(arguments, in, out);
  if (!result.out_in_color.empty() && takes_color(out)) result.out = std::move(result.out_in_color);
  errno = 0;
  out.write(result.out.data(), static_cast<std::streamsize>(result.out.size()));
  out.flush();
  if (!out) {
    const std::string reason = errno == 0 ? "" : fmt::format(": {}", std::strerror(errno));
    result.err += fmt::format("gradlab: the output could not be written{}\n", reason);
    result.status = kExitEnvironment;
  }
  err << result.err << std::flush;
  return result.status;
}

int run_command_line(std::span<const std::string> arguments, std::ostream& out, std::ostream& err) {
  std::istringstream nothing;
  return run_command_line(arguments, Input{nothing}, out, err);
}

}  // namespace gradlab
