#include <doctest/doctest.h>

#include "kernels/device.h"
#include "scenarios/catalogue.h"
#include "src/lab/golden_diff.h"
#include "tests/cli/run_gradlab.h"
#include "tests/files.h"
#include "tests/skip.h"
#include "tests/text.h"

using namespace gradlab;
using test::check_fits_80_columns;
using test::read_file;
using test::replaced;
using test::run_gradlab;
using test::TemporaryFile;

namespace {

void check_explanations(Device device) {
  for (const Scenario* scenario : all_scenarios()) {
    const std::string name(scenario->name);
    CAPTURE(name);
    const test::CliRun run = run_gradlab({"explain", name, "--device", device == Device::kCpu ? "cpu" : "cuda"});
    const std::string file_name = golden_file_name("explain-" + name, device);
    const std::string golden = read_file("scenarios/golden/" + file_name);
    CHECK(run.status == kExitReproduced);
    CHECK(run.err.empty());
    CHECK_MESSAGE(run.out == golden, unified_diff(file_name, golden, "explain " + name, run.out));
  }
}

}  // namespace

TEST_CASE("every experiment is explained as its golden says") { check_explanations(Device::kCpu); }

TEST_CASE("every experiment is explained on a GPU as its golden says") {
  try {
    require_device(Device::kCuda);
  } catch (const DeviceError&) {
    return test::skip("no CUDA device");
  }
  check_explanations(Device::kCuda);
}

TEST_CASE("explain --from prints what the live run prints, and so does trace") {
  for (const Scenario* scenario : all_scenarios()) {
    const std::string name(scenario->name);
    CAPTURE(name);
    const TemporaryFile file(run_gradlab({"trace", name, "--json"}).out);
    CHECK(run_gradlab({"explain", "--from", file.string()}).out == run_gradlab({"explain", name}).out);
    CHECK(run_gradlab({"trace", "--from", file.string()}).out == run_gradlab({"trace", name}).out);
  }
}

TEST_CASE("explain takes several names, scripts and settings") {
  const std::string safe = run_gradlab({"explain", "save-safe"}).out;
  const std::string unsafe = run_gradlab({"explain", "save-unsafe"}).out;
  CHECK(run_gradlab({"explain", "03"}).out == safe + "\n\n" + unsafe);
  CHECK(run_gradlab({"explain", "save-unsafe", "--set", "x=5"}).out.find("x2.grad is 100 and should be 10") !=
        std::string::npos);
}

TEST_CASE("colour is written when asked for, and never into a stream that is no terminal") {
  const std::string plain = run_gradlab({"explain", "save-unsafe", "--color", "never"}).out;
  CHECK(plain.find('\x1b') == std::string::npos);
  CHECK(run_gradlab({"explain", "save-unsafe"}).out == plain);
  CHECK(run_gradlab({"explain", "save-unsafe", "--color", "always"})
            .out.starts_with("save-unsafe: \x1b[31;1mSILENTLY WRONG\x1b[0m\n"));
}

TEST_CASE("what explain, trace and diff cannot take is a usage error") {
  CHECK(run_gradlab({"explain"}).err.starts_with("gradlab: explain needs a NAME: invisible, "));
  CHECK(run_gradlab({"explain", "save-safe", "--color", "allways"}).err ==
        "gradlab: --color takes auto, always, never, not 'allways': did you mean 'always'?\n");
  CHECK(run_gradlab({"explain", "save-saef"}).status == kExitUsage);
  CHECK(run_gradlab({"explain", "--from", "/nowhere/a"}).err ==
        "gradlab: /nowhere/a cannot be read: No such file or directory\n");
  CHECK(run_gradlab({"explain", "save-safe", "--from", "a"}).status == kExitUsage);
  CHECK(run_gradlab({"trace", "03", "--json"}).err ==
        "gradlab: trace --json takes one experiment: a file holds one trace\n");
  CHECK(run_gradlab({"diff", "a"}).err == "gradlab: diff compares two files, not 1\n");
}

TEST_CASE("a file that is cut off or no trace ends with status 2 and the line") {
  const std::string whole = run_gradlab({"trace", "save-safe", "--json"}).out;
  const TemporaryFile cut(whole.substr(0, whole.size() / 2));
  for (const char* command : {"explain", "trace"}) {
    const test::CliRun run = run_gradlab({command, "--from", cut.string()});
    CHECK(run.status == kExitUsage);
    CHECK(run.out.empty());
    CHECK(run.err.starts_with("gradlab: " + cut.string() + ":"));
  }
  CHECK(run_gradlab({"diff", cut.string(), cut.string()}).status == kExitUsage);
}

TEST_CASE("diff names the first event that differs") {
  const TemporaryFile a(run_gradlab({"trace", "save-unsafe", "--json"}).out);
  const TemporaryFile b(run_gradlab({"trace", "save-unsafe", "--json", "--set", "factor=2"}).out);
  CHECK(run_gradlab({"diff", a.string(), a.string()}).out == "The traces are equal.\n");
  const test::CliRun run = run_gradlab({"diff", a.string(), b.string()});
  CHECK(run.status == kExitNotReproduced);
  CHECK(run.out.find("run as written, step 3: with torch.no_grad(): x2.mul_(factor)\n"
                     "  event 1 of the step differs\n"
                     "  A  write            x2: 3 -> 30, version 0 -> 1\n"
                     "  B  write            x2: 3 -> 6, version 0 -> 1\n") != std::string::npos);
}

namespace {

// The lines of a recorded trace up to its second run, and the end.
std::string first_run_of(const std::string& trace) {
  const std::size_t first = trace.find("{\"kind\":\"run\"");
  return trace.substr(0, trace.find("{\"kind\":\"run\"", first + 1)) + "{\"kind\":\"end\"}\n";
}

}  // namespace

TEST_CASE("a gradient that differs in the sign of zero only is right") {
  const std::string out = run_gradlab({"explain", "save-unsafe", "--set", "x=0", "--set", "factor=-1"}).out;
  CHECK(out.starts_with(
      "save-unsafe: RIGHT\nStep 4 read x2 after a write, but the gradient does not depend on it.\n"));
}

TEST_CASE("gradients that print alike are told apart") {
  CHECK(run_gradlab({"explain", "kernel-overwrite", "--set", "x=1.00000001,5", "--set", "factor=1.0000001"})
            .out.find("x.grad is [2.0000002, 10.000001] and should be [2, 10]") != std::string::npos);
  CHECK(run_gradlab({"explain", "save-unsafe", "--set", "x=0,0,0,5,0,0,0,0,0"})
            .out.find("should be [0, 0, ..., 0] (another where it is not\nshown)") != std::string::npos);
}

TEST_CASE("a trace without a run with private copies leaves open whether a gradient is wrong") {
  const TemporaryFile file(first_run_of(run_gradlab({"trace", "save-unsafe", "--json"}).out));
  const std::string out = run_gradlab({"explain", "--from", file.string()}).out;
  CHECK(out.starts_with("save-unsafe: STALE READ\n"
                        "Step 4 read x2, which had changed since step 2 saved it. Whether a gradient is\n"
                        "wrong, this trace does not tell: it has no run with private copies.\n"));
  CHECK(out.find("obtained                       60\n") != std::string::npos);
  CHECK(out.find("with the values as saved") == std::string::npos);
}

TEST_CASE("an explanation and a graph fit 80 columns whatever the values") {
  for (const char* name : {"save-safe", "save-unsafe", "kernel-overwrite", "kernel-confesses", "view-write", "save-clone"}) {
    for (const char* x : {"x=1.2345,2.3456,3.4567,4.5678", "x=123456789,-123456789,0.000123456789"}) {
      for (const char* command : {"explain", "graph"}) {
        CAPTURE(name);
        check_fits_80_columns(run_gradlab({command, name, "--set", x}).out);
      }
    }
  }
  check_fits_80_columns(run_gradlab({"graph", "data-write", "--at", "6"}).out);
}

TEST_CASE("a graph marks as stale what explain calls stale") {
  CHECK(run_gradlab({"graph", "save-unsafe", "--set", "factor=1"}).out.find("STALE") == std::string::npos);
  CHECK(run_gradlab({"explain", "save-unsafe", "--set", "factor=1"}).out.find("Nothing is stale") != std::string::npos);
  // The check compares versions, whatever was written.
  CHECK(run_gradlab({"graph", "save-safe", "--set", "factor=1"}).out.find("STALE") != std::string::npos);
}

TEST_CASE("a trace of another program is read with care") {
  const std::string trace = run_gradlab({"trace", "save-unsafe", "--json"}).out;
  const auto explained = [](const std::string& text) {
    const TemporaryFile file(text);
    return run_gradlab({"explain", "--from", file.string()});
  };
  const test::CliRun steered = explained(replaced(trace, "x2.mul_(factor)", "x2.mul_(\\u001b[31m\\nfactor\\u0007)"));
  CHECK(steered.status == kExitReproduced);
  CHECK(steered.out.find("x2.mul_(?[31m factor?)") != std::string::npos);
  const test::CliRun without_values = explained(replaced(trace, "\"values\":", "\"numbers\":"));
  CHECK(without_values.status == kExitUsage);
  CHECK(without_values.err.find("\"values\" is missing") != std::string::npos);
  const TemporaryFile shapeless(replaced(trace, "\"next_shapes\":", "\"other_shapes\":"));
  const std::string graph = run_gradlab({"graph", "--from", shapeless.string()}).out;
  CHECK(graph.find("     -> #1\n") != std::string::npos);
  CHECK(graph.find("gradient [") == std::string::npos);
}
