// What all subcommands share: their shape, and the reading of their options.
#pragma once

#include <CLI/CLI.hpp>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/device.h"
#include "src/cli/cli.h"
#include "src/lab/parameter.h"
#include "src/lab/scenario.h"

namespace gradlab {

using Arguments = std::vector<std::string>;

// What a subcommand hands back: it prints nothing itself.
struct CommandResult {
  int status = kExitReproduced;
  std::string out = {};
  std::string err = {};
  std::string out_in_color = {};  // what to print in place of `out` where colour may be used
};

// A file that cannot be written and the like.
class EnvironmentError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A subcommand: its word, one line about it, and what it does with the arguments after the word. It may throw
// UsageError, DeviceError, EnvironmentError, std::bad_alloc and HelpRequest.
struct Command {
  std::string_view name;
  std::string_view summary;
  CommandResult (*run)(const Arguments& arguments);
  // In place of `run`: of a command that asks something. It prints to `out` what has to be seen before it reads.
  CommandResult (*talk)(const Arguments& arguments, Input in, std::ostream& out) = nullptr;
};

std::span<const Command> all_commands();

// diff.cpp, explain.cpp, graph.cpp, list.cpp, quiz.cpp, run.cpp, show.cpp, trace.cpp, verify.cpp
CommandResult diff_command(const Arguments& arguments);
CommandResult explain_command(const Arguments& arguments);
CommandResult graph_command(const Arguments& arguments);
CommandResult list_command(const Arguments& arguments);
CommandResult quiz_command(const Arguments& arguments, Input in, std::ostream& out);
CommandResult run_command(const Arguments& arguments);
CommandResult show_command(const Arguments& arguments);
CommandResult trace_command(const Arguments& arguments);
CommandResult verify_command(const Arguments& arguments);

// Thrown for --help; holds the text.
struct HelpRequest {
  std::string text;
};

// Reads the options of the subcommand `name`; its help ends with examples.
class CommandParser : public CLI::App {
 public:
  CommandParser(std::string_view name, std::string_view description, std::string_view examples);

  // Reads the arguments into the options that were added. Throws HelpRequest and UsageError; the latter's text names
  // the nearest option. Of an option that takes one value, an empty one is none.
  void read(const Arguments& arguments);

 private:
  std::string refusal_of(const std::string& argument) const;
  void refuse_repeated() const;  // options that take one value
  void refuse_empty() const;
  [[noreturn]] void refuse(std::string_view problem) const;

  std::string command_;  // "run"
};

// Adds --set and collects its arguments.
void add_set_option(CLI::App& app, std::vector<std::string>& settings);
// Throws UsageError for what is no NAME=VALUE, and for a name that is a parameter of none of `scenarios`.
std::vector<Setting> parse_settings(const std::vector<std::string>& arguments,
                                    std::span<const Scenario* const> scenarios);

// Adds --device and stores the word given.
void add_device_option(CLI::App& app, std::string& device);
// Throws UsageError when `text` is neither "cpu" nor "cuda".
Device parse_device(std::string_view text);

// Experiments and scripts by name, in the order of the help texts.
std::vector<std::string_view> all_output_names();

// For a word that names neither an experiment nor a script. `also` are further words accepted at this place.
[[noreturn]] void throw_unknown_name(std::string_view name, std::span<const std::string_view> also = {});

// "a, b, c"
std::string joined(std::span<const std::string_view> words);

}  // namespace gradlab
