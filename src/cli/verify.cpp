// gradlab verify [NAME...]: runs and compares with the goldens.
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>

#include "scenarios/catalogue.h"
#include "scenarios/scripts.h"
#include "src/cli/command.h"
#include "src/cli/files.h"
#include "src/cli/runner.h"
#include "src/lab/explain.h"
#include "src/lab/golden_diff.h"
#include "src/lab/goldens.h"
#include "src/lab/record.h"
#include "src/lab/usage_error.h"

namespace gradlab {
namespace {

namespace fs = std::filesystem;

struct VerifyOptions {
  std::vector<std::string> names;
  std::string device = "cpu";
  std::string golden_dir;  // empty: the goldens embedded in the program
  bool update = false;
};

VerifyOptions read_verify_options(const Arguments& arguments) {
  VerifyOptions options;
  CommandParser parser("verify",
                       "Runs experiments and scripts (all of them unless named) and compares the output with what is\n"
                       "expected. Prints a diff of what differs. Exit status: 0 all equal, 1 something differs.",
                       "  gradlab verify\n"
                       "  gradlab verify save-unsafe all --device cuda\n"
                       "  gradlab verify explain-save-unsafe                  what `gradlab explain` prints\n"
                       "  gradlab verify --golden scenarios/golden            compare with these files\n"
                       "  gradlab verify --golden scenarios/golden --update   rewrite those that differ");
  parser.add_option("NAME", options.names, "Experiments and scripts, as `gradlab list` names them, and explain-NAME")
      ->type_name("");
  add_device_option(parser, options.device);
  parser.add_option("--golden", options.golden_dir, "Compare with the files in DIR, not with the built-in ones")
      ->type_name("DIR");
  parser.add_flag("--update", options.update, "Rewrite the files in DIR that differ");
  parser.read(arguments);
  return options;
}

constexpr std::string_view kExplain = "explain-";

// The experiment that an output's name explains, or null.
const Scenario* explained_by(std::string_view output) {
  return output.starts_with(kExplain) ? find_scenario(output.substr(kExplain.size())) : nullptr;
}

// The names to verify, each once and in full.
std::vector<std::string> outputs_of(const std::vector<std::string>& names) {
  std::vector<std::string> outputs;
  if (names.empty()) {
    for (const std::string_view name : all_output_names()) outputs.emplace_back(name);
    for (const Scenario* scenario : all_scenarios()) outputs.push_back(fmt::format("{}{}", kExplain, scenario->name));
    return outputs;
  }
  for (const std::string& name : names) {
    const Script* script = find_script(name);
    const bool is_known = script != nullptr || find_scenario(name) != nullptr || explained_by(name) != nullptr;
    if (!is_known) throw_unknown_name(name);
    const std::string output(script != nullptr ? script->name : name);
    if (std::find(outputs.begin(), outputs.end(), output) == outputs.end()) outputs.push_back(output);
  }
  return outputs;
}

std::string text_of(const std::string& output, Device device, Runner& runner) {
  const Scenario* scenario = explained_by(output);
  return scenario == nullptr ? runner.text(output, {}) : explain_text(record_trace(*scenario, {}, device, ""));
}

std::string path_of(const VerifyOptions& options, const std::string& file_name) {
  return options.golden_dir.empty() ? file_name : (fs::path(options.golden_dir) / file_name).string();
}

std::optional<std::string> golden(const VerifyOptions& options, const std::string& file_name) {
  if (options.golden_dir.empty()) {
    const std::optional<std::string_view> text = golden_text(file_name);
    return text ? std::optional<std::string>(*text) : std::nullopt;
  }
  std::ifstream file(path_of(options, file_name), std::ios::binary);
  if (!file) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(file), {});
}

}  // namespace

CommandResult verify_command(const Arguments& arguments) {
  const VerifyOptions options = read_verify_options(arguments);
  if (options.update && options.golden_dir.empty()) {
    throw UsageError("--update needs --golden DIR, the folder to rewrite (in a checkout: --golden scenarios/golden)");
  }
  if (!options.golden_dir.empty() && !fs::is_directory(options.golden_dir)) {
    throw UsageError(fmt::format("--golden {}: there is no such folder", options.golden_dir));
  }
  const std::vector<std::string> outputs = outputs_of(options.names);
  const Device device = parse_device(options.device);

  Runner runner({}, device);
  CommandResult result;
  std::size_t equal_count = 0;
  for (const std::string& output : outputs) {
    const std::string file_name = golden_file_name(output, device);
    const std::string path = path_of(options, file_name);
    const std::string actual = mask_addresses(text_of(output, device, runner));
    const std::optional<std::string> expected = golden(options, file_name);
    if (expected && mask_addresses(*expected) == actual) {
      ++equal_count;
    } else if (options.update) {
      write_file(path, actual);
      result.out += fmt::format("{} {}\n", expected ? "changed" : "added", path);
    } else {
      if (!expected) result.out += fmt::format("{} is missing\n", path);
      result.out +=
          unified_diff(path, mask_addresses(expected.value_or("")), fmt::format("gradlab {}", output), actual);
      result.status = kExitNotReproduced;
    }
  }
  result.out += fmt::format("{} of {} outputs {} as expected ({})\n", equal_count, outputs.size(),
                            options.update ? "were" : "are", options.device);
  return result;
}

}  // namespace gradlab
