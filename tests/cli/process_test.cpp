// What only a process shows: the exit status, the real stdout, a full disk and a closed pipe.
#include <doctest/doctest.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "src/cli/cli.h"
#include "tests/cli/run_gradlab.h"
#include "tests/skip.h"

using namespace gradlab;

namespace {

struct ShellRun {
  int status;
  std::string out;
};

// Runs a line of sh in which "$0" is gradlab.
ShellRun shell(const std::string& line) {
  const std::string command = "sh -c '" + line + "' '" GRADLAB_BINARY "'";
  FILE* pipe = ::popen(command.c_str(), "r");
  REQUIRE(pipe != nullptr);
  std::string out;
  std::array<char, 4096> buffer;
  for (std::size_t size; (size = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;)
    out.append(buffer.data(), size);
  const int status = ::pclose(pipe);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, out};
}

}  // namespace

TEST_CASE("the program prints what the function in it returns, and nothing else") {
  const ShellRun run = shell("\"$0\" all 2>&1");
  CHECK(run.status == kExitReproduced);
  CHECK(run.out == test::run_gradlab({"all"}).out);
}

TEST_CASE("errors of the program go to stderr") {
  CHECK(shell("\"$0\" save-unsaef 2>/dev/null").out.empty());
  CHECK(shell("\"$0\" save-unsaef 2>/dev/null").status == kExitUsage);
  CHECK(shell("\"$0\" 2>/dev/null").status == kExitUsage);
}

TEST_CASE("a full disk is told with status 3") {
  if (!std::filesystem::exists("/dev/full")) return test::skip("no /dev/full");
  for (const char* arguments : {"all", "list", "save-safe --json", "--help", "verify"}) {
    CAPTURE(arguments);
    const ShellRun run = shell(std::string("\"$0\" ") + arguments + " 2>&1 >/dev/full");
    CHECK(run.status == kExitEnvironment);
    CHECK(run.out == "gradlab: the output could not be written: No space left on device\n");
  }
}

TEST_CASE("a closed pipe is told with status 3, not by a signal") {
  // The reader is long gone when gradlab writes.
  const ShellRun run = shell("{ (sleep 0.2; \"$0\" all 2>&3; echo $? >&3) | true; } 3>&1");
  CHECK(run.out == "gradlab: the output could not be written: Broken pipe\n3\n");
}

TEST_CASE("a closed stdout is told with status 3") {
  CHECK(shell("\"$0\" all >&- 2>/dev/null").status == kExitEnvironment);
}
