// Every golden, byte for byte: the text from the program against the file in scenarios/golden.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "kernels/device.h"
#include "scenarios/catalogue.h"
#include "scenarios/scripts.h"
#include "src/lab/golden_diff.h"
#include "tests/cli/run_gradlab.h"
#include "tests/files.h"
#include "tests/skip.h"

using namespace gradlab;

namespace {

namespace fs = std::filesystem;

const fs::path kGoldenDir = GRADLAB_SOURCE_DIR "/scenarios/golden";

std::vector<std::string> outputs() {
  std::vector<std::string> names;
  for (const Scenario* scenario : all_scenarios()) names.emplace_back(scenario->name);
  for (const Script& script : all_scripts()) names.emplace_back(script.name);
  return names;
}

void check_goldens(Device device) {
  for (const std::string& name : outputs()) {
    CAPTURE(name);
    const test::CliRun run = test::run_gradlab({name, "--device", device == Device::kCpu ? "cpu" : "cuda"});
    const std::string golden = test::read_file(kGoldenDir / golden_file_name(name, device));
    CHECK(run.status == kExitReproduced);
    CHECK(run.err.empty());
    CHECK_MESSAGE(run.out == golden, unified_diff("golden", golden, name, run.out));
  }
}

}  // namespace

TEST_CASE("every experiment and script prints its golden on the CPU") { check_goldens(Device::kCpu); }

TEST_CASE("every experiment and script prints its CUDA golden on a GPU") {
  try {
    require_device(Device::kCuda);
  } catch (const DeviceError&) {
    return test::skip("no CUDA device");
  }
  check_goldens(Device::kCuda);
}

TEST_CASE("every golden belongs to an experiment or a script") {
  std::set<std::string> expected;
  for (const std::string& name : outputs()) {
    expected.insert(golden_file_name(name, Device::kCpu));
    expected.insert(golden_file_name(name, Device::kCuda));
  }
  for (const Scenario* scenario : all_scenarios()) {
    const std::string explanation = "explain-" + std::string(scenario->name);
    expected.insert(golden_file_name(explanation, Device::kCpu));
    expected.insert(golden_file_name(explanation, Device::kCuda));
    expected.insert("graph-" + std::string(scenario->name) + ".txt");  // the same on both devices
  }
  std::set<std::string> found;
  for (const fs::directory_entry& entry : fs::directory_iterator(kGoldenDir)) found.insert(entry.path().filename());
  CHECK(found == expected);
}

TEST_CASE("every experiment stands in the file of its name") {
  for (const Scenario* scenario : all_scenarios()) {
    std::string file(scenario->name);
    for (char& c : file) c = c == '-' ? '_' : c;
    CHECK_MESSAGE(fs::exists(fs::path(GRADLAB_SOURCE_DIR "/scenarios") / (file + ".cpp")), file);
  }
}
