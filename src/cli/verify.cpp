// gradlab verify [NAME...]: runs and compares with the goldens.
#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>

#include "scenarios/catalogue.h"
#include "scenarios/scripts.h"
#include "src/cli/command.h"
#include "src/cli/runner.h"
#include "src/lab/golden_diff.h"
#include "src/lab/goldens.h"
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

VerifyOptions read_options(const Arguments& arguments) {
  VerifyOptions options;
  CommandParser parser("verify",
                       "Runs experiments and scripts (all of them unless named) and compares the output with what is\n"
                       "expected. Prints a diff of what differs. Exit status: 0 all equal, 1 something differs.",
                       "  gradlab verify\n"
                       "  gradlab verify save-unsafe all --device cuda\n"
                       "  gradlab verify --golden scenarios/golden            compare with these files\n"
                       "  gradlab verify --golden scenarios/golden --update   rewrite those that differ");
  parser.add_option("NAME", options.names, "Experiments and scripts, as `gradlab list` names them")->type_name("");
  add_device_option(parser, options.device);
  parser.add_option("--golden", options.golden_dir, "Compare with the files in DIR, not with the built-in ones")
      ->type_name("DIR");
  parser.add_flag("--update", options.update, "Rewrite the files in DIR that differ");
  parser.read(arguments);
  return options;
}

// The names to verify, each once and in full.
std::vector<std::string_view> outputs_of(const std::vector<std::string>& names) {
  if (names.empty()) return all_output_names();
  std::vector<std::string_view> outputs;
  for (const std::string& name : names) {
    const Scenario* scenario = find_scenario(name);
    const Script* script = find_script(name);
    if (scenario == nullptr && script == nullptr) throw_unknown_name(name);
    const std::string_view output = scenario != nullptr ? scenario->name : script->name;
    if (std::find(outputs.begin(), outputs.end(), output) == outputs.end()) outputs.push_back(output);
  }
  return outputs;
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

void write_golden(const std::string& path, const std::string& text) {
  errno = 0;
  std::ofstream file(path, std::ios::binary);
  file << text << std::flush;
  if (!file) throw EnvironmentError(fmt::format("{} could not be written: {}", path, std::strerror(errno)));
}

}  // namespace

CommandResult verify_command(const Arguments& arguments) {
  const VerifyOptions options = read_options(arguments);
  if (options.update && options.golden_dir.empty()) {
    throw UsageError("--update needs --golden DIR, the folder to rewrite (in a checkout: --golden scenarios/golden)");
  }
  if (!options.golden_dir.empty() && !fs::is_directory(options.golden_dir)) {
    throw UsageError(fmt::format("--golden {}: there is no such folder", options.golden_dir));
  }
  const std::vector<std::string_view> outputs = outputs_of(options.names);
  const Device device = parse_device(options.device);

  Runner runner({}, device);
  CommandResult result;
  std::size_t equal_count = 0;
  for (const std::string_view output : outputs) {
    const std::string file_name = golden_file_name(output, device);
    const std::string path = path_of(options, file_name);
    const std::string actual = mask_addresses(runner.text(output, {}));
    const std::optional<std::string> expected = golden(options, file_name);
    if (expected && mask_addresses(*expected) == actual) {
      ++equal_count;
    } else if (options.update) {
      write_golden(path, actual);
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
