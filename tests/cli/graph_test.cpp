#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>

#include "scenarios/catalogue.h"
#include "src/lab/golden_diff.h"
#include "tests/cli/run_gradlab.h"
#include "tests/files.h"
#include "tests/skip.h"
#include "tests/text.h"

using namespace gradlab;
using test::CliRun;
using test::read_file;
using test::run_gradlab;
using test::TemporaryPath;

namespace {

namespace fs = std::filesystem;

// Another PATH while it lives.
class PathGuard {
 public:
  explicit PathGuard(const char* path) {
    if (const char* before = std::getenv("PATH")) before_ = before;
    ::setenv("PATH", path, 1);
  }
  ~PathGuard() { before_ ? ::setenv("PATH", before_->c_str(), 1) : ::unsetenv("PATH"); }
  PathGuard(const PathGuard&) = delete;
  PathGuard& operator=(const PathGuard&) = delete;

 private:
  std::optional<std::string> before_;
};

}  // namespace

TEST_CASE("every experiment's graph is as its golden says") {
  for (const Scenario* scenario : all_scenarios()) {
    const std::string name(scenario->name);
    CAPTURE(name);
    const CliRun run = run_gradlab({"graph", name});
    const std::string golden = read_file("scenarios/golden/graph-" + name + ".txt");
    CHECK(run.status == kExitReproduced);
    CHECK_MESSAGE(run.out == golden, unified_diff("golden", golden, "graph " + name, run.out));
  }
}

TEST_CASE("a graph in text fits 80 columns") {
  for (const Scenario* scenario : all_scenarios()) {
    test::check_fits_80_columns(run_gradlab({"graph", std::string(scenario->name)}).out);
  }
}

TEST_CASE("graph --from prints what the live run prints, at every step and in every format") {
  for (const Scenario* scenario : all_scenarios()) {
    const std::string name(scenario->name);
    const TemporaryPath file;
    std::ofstream(file.string(), std::ios::binary) << run_gradlab({"trace", name, "--json"}).out;
    for (const char* format : {"text", "dot", "mermaid"}) {
      for (int step = 1; step <= 6; ++step) {
        const std::vector<std::string> options = {"--format", format, "--at", std::to_string(step)};
        std::vector<std::string> live = {"graph", name};
        std::vector<std::string> recorded = {"graph", "--from", file.string()};
        live.insert(live.end(), options.begin(), options.end());
        recorded.insert(recorded.end(), options.begin(), options.end());
        CAPTURE(name);
        CAPTURE(step);
        CHECK(run_gradlab(recorded).out == run_gradlab(live).out);
      }
    }
  }
}

TEST_CASE("--at chooses the moment, and a step that is not there is answered with those that are") {
  CHECK(run_gradlab({"graph", "save-unsafe", "--at", "2"}).out.find("STALE") == std::string::npos);
  CHECK(run_gradlab({"graph", "save-unsafe", "--at", "3"}).out == run_gradlab({"graph", "save-unsafe"}).out);
  CHECK(run_gradlab({"graph", "save-unsafe", "--at", "4"}).out.find("leaf, grad 60.0") != std::string::npos);
  const CliRun run = run_gradlab({"graph", "save-unsafe", "--at", "9"});
  CHECK(run.status == kExitUsage);
  CHECK(run.err.starts_with("gradlab: save-unsafe has no step 9\n   1  x2 = tensor("));
  for (const char* at : {"x", "1e0", "99999999999", "3 ", "two"}) {
    CAPTURE(at);
    const CliRun word = run_gradlab({"graph", "save-unsafe", "--at", at});
    CHECK(word.status == kExitUsage);
    CHECK(word.out.empty());
    CHECK(word.err ==
          "gradlab: save-unsafe has no step '" + std::string(at) + "'" + run.err.substr(run.err.find('\n')));
  }
}

TEST_CASE("numbers in a graph follow --set") {
  const std::string out = run_gradlab({"graph", "save-unsafe", "--at", "4", "--set", "x=1,2", "--set", "factor=3"}).out;
  CHECK(out.find("shape [2], version 1, leaf, grad [6.0, 12.0]") != std::string::npos);
}

TEST_CASE("several graphs are texts one after the other, and no picture") {
  CHECK(run_gradlab({"graph", "03"}).out ==
        run_gradlab({"graph", "save-safe"}).out + "\n\n" + run_gradlab({"graph", "save-unsafe"}).out);
  CHECK(run_gradlab({"graph", "03", "--format", "dot"}).status == kExitUsage);
}

TEST_CASE("-o writes the file in the format of its name") {
  const TemporaryPath dot(".dot");
  const CliRun run = run_gradlab({"graph", "function", "-o", dot.string()});
  CHECK(run.status == kExitReproduced);
  CHECK(run.out.empty());
  CHECK(read_file(dot.string()) == run_gradlab({"graph", "function", "--format", "dot"}).out);
  for (const auto& [ending, format] :
       {std::pair{".DOT", "dot"}, {".mmd", "mermaid"}, {".mermaid", "mermaid"}, {".txt", "text"}, {".Txt", "text"}}) {
    CAPTURE(ending);
    const TemporaryPath file(ending);
    CHECK(run_gradlab({"graph", "function", "-o", file.string()}).status == kExitReproduced);
    CHECK(read_file(file.string()) == run_gradlab({"graph", "function", "--format", format}).out);
  }
  const CliRun failed = run_gradlab({"graph", "function", "-o", "/nowhere/a.txt"});
  CHECK(failed.status == kExitEnvironment);
  CHECK(failed.err == "gradlab: /nowhere/a.txt could not be written: No such file or directory\n");
}

TEST_CASE("-o with an ending that chooses no format says which do, and --format goes on with it") {
  const std::string rest =
      " chooses no format, only .txt, .dot, .mmd, .mermaid and .svg do; name it with --format text, dot, mermaid or "
      "svg\n";
  const TemporaryPath png(".png");
  const CliRun run = run_gradlab({"graph", "function", "-o", png.string()});
  CHECK(run.status == kExitUsage);
  CHECK(run.out.empty());
  CHECK(run.err == "gradlab: -o " + png.string() + ": the ending .png" + rest);
  CHECK_FALSE(fs::exists(png.string()));
  CHECK(run_gradlab({"graph", "function", "-o", "/nowhere/g"}).err ==
        "gradlab: -o /nowhere/g: a name without an ending" + rest);
  CHECK(run_gradlab({"graph", "function", "-o", png.string(), "--format", "dot"}).status == kExitReproduced);
  CHECK(read_file(png.string()) == run_gradlab({"graph", "function", "--format", "dot"}).out);
}

TEST_CASE("a format that is not known is answered with the nearest one") {
  CHECK(run_gradlab({"graph", "function", "--format", "svgg"}).err ==
        "gradlab: --format takes text, dot, mermaid, svg, not 'svgg': did you mean 'svg'?\n");
  CHECK(run_gradlab({"graph"}).err.starts_with("gradlab: graph needs a NAME: invisible, "));
}

TEST_CASE("svg without Graphviz says what is missing and what needs nothing") {
  const PathGuard path("/nowhere");
  const CliRun run = run_gradlab({"graph", "save-unsafe", "--format", "svg"});
  CHECK(run.status == kExitEnvironment);
  CHECK(run.out.empty());
  CHECK(
      run.err ==
      "gradlab: svg needs Graphviz's program dot, and there is none: install Graphviz (Debian, Ubuntu: apt-get install "
      "graphviz), or use --format text, dot or mermaid, which need nothing\n");
}

TEST_CASE("Graphviz draws every graph") {
  if (run_gradlab({"graph", "function", "--format", "svg"}).status == kExitEnvironment)
    return test::skip("no Graphviz");
  for (const Scenario* scenario : all_scenarios()) {
    CAPTURE(scenario->name);
    const CliRun run = run_gradlab({"graph", std::string(scenario->name), "--format", "svg"});
    CHECK(run.status == kExitReproduced);
    CHECK(run.err.empty());
    CHECK(run.out.starts_with("<?xml"));
    CHECK(run.out.find("</svg>") != std::string::npos);
  }
}

TEST_CASE("the README's picture is the graph of today") {
  const std::string svg = read_file("docs/graph-save-unsafe.svg");
  const std::string text = run_gradlab({"graph", "save-unsafe"}).out;
  CHECK(svg.size() < 100'000);
  for (const char* part : {"after the write (step 3)", "with torch.no_grad(): x2.mul_(factor)", "UnsafeSquareBackward",
                           "ctx.x = x2, version 0", "STALE: now at version 1, written in step 3; not checked"}) {
    CHECK(text.find(part) != std::string::npos);
    CHECK(svg.find(part) != std::string::npos);
  }
}
