// The README shows what gradlab prints today.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "tests/cli/run_gradlab.h"
#include "tests/files.h"

namespace {

struct Transcript {
  std::string command;  // what stands after "$ "
  std::string output;
};

// The ```console blocks: each line "$ COMMAND" is followed by what the command prints.
std::vector<Transcript> transcripts(const std::string& markdown) {
  std::vector<Transcript> found;
  std::istringstream lines(markdown);
  bool is_inside = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("```")) {
      is_inside = line == "```console";
    } else if (is_inside && line.starts_with("$ ")) {
      found.push_back({line.substr(2), ""});
    } else if (is_inside) {
      REQUIRE_FALSE(found.empty());
      found.back().output += line + "\n";
    }
  }
  return found;
}

std::vector<std::string> words(const std::string& text) {
  std::istringstream in(text);
  return {std::istream_iterator<std::string>(in), {}};
}

}  // namespace

TEST_CASE("every transcript in the README is what gradlab prints") {
  const std::vector<Transcript> all = transcripts(gradlab::test::read_file("README.md"));
  CHECK_FALSE(all.empty());
  for (const Transcript& transcript : all) {
    CAPTURE(transcript.command);
    std::vector<std::string> arguments = words(transcript.command);
    REQUIRE(arguments.front() == "gradlab");
    arguments.erase(arguments.begin());
    const gradlab::test::CliRun run = gradlab::test::run_gradlab(arguments);
    CHECK(run.out + run.err == transcript.output);
  }
}

TEST_CASE("the README's first transcript is a golden") {
  const std::vector<Transcript> all = transcripts(gradlab::test::read_file("README.md"));
  REQUIRE_FALSE(all.empty());
  CHECK(all.front().command == "gradlab save-unsafe");
  CHECK(all.front().output == gradlab::test::read_file("scenarios/golden/save-unsafe.txt"));
}

TEST_CASE("every folder and file that the README names exists") {
  const std::string markdown = gradlab::test::read_file("README.md");
  for (std::size_t at = markdown.find('`'); at != std::string::npos; at = markdown.find('`', at + 1)) {
    const std::size_t end = markdown.find('`', at + 1);
    if (end == std::string::npos) break;
    const std::string code = markdown.substr(at + 1, end - at - 1);
    at = end;
    const bool is_path = code.find('/') != std::string::npos && code.find_first_of(" *<>$\n") == std::string::npos &&
                         !code.starts_with("/") && !code.starts_with("build/");
    if (!is_path) continue;
    CHECK_MESSAGE(std::filesystem::exists(std::string(GRADLAB_SOURCE_DIR "/") + code), code);
  }
}
