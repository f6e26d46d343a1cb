#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "scenarios/catalogue.h"
#include "scenarios/scripts.h"
#include "tests/cli/run_gradlab.h"
#include "tests/files.h"

using namespace gradlab;
using test::CliRun;
using test::run_gradlab;

namespace {

namespace fs = std::filesystem;

// A folder of goldens that goes away with the test.
class GoldenFolder {
 public:
  GoldenFolder() : path_(fs::temp_directory_path() / ("gradlab-golden-" + std::to_string(::getpid()))) {
    fs::remove_all(path_);
    fs::copy(GRADLAB_SOURCE_DIR "/scenarios/golden", path_);
  }
  ~GoldenFolder() { fs::remove_all(path_); }
  GoldenFolder(const GoldenFolder&) = delete;
  GoldenFolder& operator=(const GoldenFolder&) = delete;

  std::string path() const { return path_.string(); }
  std::string file(const std::string& name) const { return (path_ / name).string(); }
  std::string read(const std::string& name) const { return test::read_file(path_ / name); }
  void write(const std::string& name, const std::string& text) const { std::ofstream(path_ / name) << text; }

 private:
  fs::path path_;
};

// Each experiment and its explanation, and each script.
std::size_t output_count() { return 2 * all_scenarios().size() + all_scripts().size(); }

}  // namespace

TEST_CASE("verify finds that everything is as the built-in goldens say") {
  const CliRun run = run_gradlab({"verify"});
  CHECK(run.status == kExitReproduced);
  const std::string all = std::to_string(output_count());
  CHECK(run.out == all + " of " + all + " outputs are as expected (cpu)\n");
  CHECK(run_gradlab({"verify", "save-safe", "01", "01_invisible_to_autograd"}).out ==
        "2 of 2 outputs are as expected (cpu)\n");
}

TEST_CASE("verify shows a unified diff of what differs and ends with status 1") {
  const GoldenFolder folder;
  folder.write("save-unsafe.txt", "backward succeeded silently, x2.grad: tensor([6.])\n");
  const CliRun run = run_gradlab({"verify", "--golden", folder.path(), "save-unsafe", "save-safe"});
  CHECK(run.status == kExitNotReproduced);
  CHECK(run.out == "--- " + folder.file("save-unsafe.txt") +
                       "\n+++ gradlab save-unsafe\n"
                       "@@ -1 +1,2 @@\n"
                       "-backward succeeded silently, x2.grad: tensor([6.])\n"
                       "+backward succeeded silently, x2.grad: tensor([60.])\n"
                       "+(correct gradient at x=3 would be 2*3=6.0 -- this used the MUTATED x=30 instead, giving "
                       "2*30=60.0)\n"
                       "1 of 2 outputs are as expected (cpu)\n");
}

TEST_CASE("verify masks addresses in the goldens too") {
  const GoldenFolder folder;
  std::string text = folder.read("function.txt");
  text.replace(text.find("..."), 3, "0x7f0a4f232f10");
  folder.write("function.txt", text);
  CHECK(run_gradlab({"verify", "--golden", folder.path(), "function"}).status == kExitReproduced);
}

TEST_CASE("a golden that is missing is a difference") {
  const GoldenFolder folder;
  fs::remove(folder.file("save-safe.txt"));
  const CliRun run = run_gradlab({"verify", "--golden", folder.path(), "save-safe"});
  CHECK(run.status == kExitNotReproduced);
  CHECK(run.out.starts_with(folder.file("save-safe.txt") + " is missing\n"));
}

TEST_CASE("verify --update rewrites what differs and says what it changed") {
  const GoldenFolder folder;
  const std::string before = folder.read("save-safe.txt");
  folder.write("save-safe.txt", "old\n");
  fs::remove(folder.file("all.txt"));
  const CliRun run = run_gradlab({"verify", "--golden", folder.path(), "--update"});
  CHECK(run.status == kExitReproduced);
  CHECK(run.out == "changed " + folder.file("save-safe.txt") + "\nadded " + folder.file("all.txt") +
                       "\n" + std::to_string(output_count() - 2) +
                       " of " + std::to_string(output_count()) + " outputs were as expected (cpu)\n");
  CHECK(folder.read("save-safe.txt") == before);
  CHECK(run_gradlab({"verify", "--golden", folder.path()}).status == kExitReproduced);
}

TEST_CASE("verify --update without a folder or with a wrong one is a usage error") {
  const CliRun run = run_gradlab({"verify", "--update"});
  CHECK(run.status == kExitUsage);
  CHECK(run.err ==
        "gradlab: --update needs --golden DIR, the folder to rewrite (in a checkout: --golden scenarios/golden)\n");
  CHECK(run_gradlab({"verify", "--golden", "/no/such/folder"}).err ==
        "gradlab: --golden /no/such/folder: there is no such folder\n");
  CHECK(run_gradlab({"verify", "save-saef"}).status == kExitUsage);
}
