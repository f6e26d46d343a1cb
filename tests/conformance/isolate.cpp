#include "tests/conformance/isolate.h"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <system_error>

#include "tests/conformance/describe.h"
#include "tests/conformance/printing.h"

namespace gradlab::conformance {
namespace {

using nlohmann::json;

constexpr unsigned kSecondsPerRow = 60;

json to_json(const Outcome& outcome) {
  json steps = json::array();
  for (const StepDifferences& step : outcome.steps) {
    json differences = json::array();
    for (const Difference& d : step.differences) differences.push_back({d.tensor, d.field, d.expected, d.got});
    steps.push_back({step.step, step.text, step.kind, differences});
  }
  return {outcome.id, steps, outcome.malformed, outcome.needed_noise};
}

Outcome from_json(const json& row) {
  Outcome outcome{row[0], {}, row[2], row[3]};
  for (const json& step : row[1]) {
    StepDifferences found{step[0], step[1], step[2], {}};
    for (const json& d : step[3]) found.differences.push_back({d[0], d[1], d[2], d[3]});
    outcome.steps.push_back(std::move(found));
  }
  return outcome;
}

[[noreturn]] void run_child(const std::vector<Row>& rows, std::size_t first, const ReplayOptions& options, int out) {
  std::FILE* pipe = fdopen(out, "w");
  for (std::size_t i = first; i < rows.size(); ++i) {
    alarm(kSecondsPerRow);
    *options.reached = 0;
    const Outcome outcome = check(rows[i], options);
    const std::string line = to_json(outcome).dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
    std::fwrite(line.data(), 1, line.size(), pipe);
    std::fflush(pipe);
  }
  _exit(0);
}

std::string read_all(int file) {
  std::string text;
  std::array<char, 1 << 16> piece;
  for (;;) {
    const ssize_t count = read(file, piece.data(), piece.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return text;
    text.append(piece.data(), static_cast<std::size_t>(count));
  }
}

Outcome crashed(const Row& row, std::size_t reached, int status) {
  Outcome outcome;
  outcome.id = row.content.value("id", row.where);
  std::string what = "the engine ended the process";
  if (WIFSIGNALED(status)) what = strsignal(WTERMSIG(status));
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM) what = "no answer within a minute";
  StepDifferences step{reached, "", "", {{"", "crash", "none", what}}};
  const json steps = row.content.value("steps", json::array());
  if (reached > 0 && reached <= steps.size()) {
    step.text = describe(steps[reached - 1]);
    step.kind = kind_of(steps[reached - 1]);
  }
  outcome.steps.push_back(std::move(step));
  return outcome;
}

void append_outcomes(const std::string& text, std::vector<Outcome>& outcomes) {
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin);
    if (end == std::string::npos) return;  // the child ended while it wrote
    outcomes.push_back(from_json(json::parse(text.substr(begin, end - begin))));
    begin = end + 1;
  }
}

// Runs a child over the rows that have no outcome yet. Its exit status as waitpid() gives it.
int run_child_over_rest(const std::vector<Row>& rows, const ReplayOptions& options, std::vector<Outcome>& outcomes) {
  std::array<int, 2> ends;
  if (pipe(ends.data()) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
  std::cout.flush();
  const pid_t child = fork();
  if (child < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (child == 0) {
    close(ends[0]);
    run_child(rows, outcomes.size(), options, ends[1]);
  }
  close(ends[1]);
  append_outcomes(read_all(ends[0]), outcomes);
  close(ends[0]);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

}  // namespace

Outcome check(const Row& row, const ReplayOptions& options) {
  if (is_printing(row.content)) return check_printing(row.content, row.where);
  return replay(row.content, options);
}

std::vector<Outcome> check_isolated(const std::vector<Row>& rows, const ReplayOptions& options) {
  void* shared = mmap(nullptr, sizeof(std::size_t), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "mmap");
  ReplayOptions in_child = options;
  in_child.reached = static_cast<volatile std::size_t*>(shared);
  std::vector<Outcome> outcomes;
  while (outcomes.size() < rows.size()) {
    const int status = run_child_over_rest(rows, in_child, outcomes);
    if (outcomes.size() < rows.size()) outcomes.push_back(crashed(rows[outcomes.size()], *in_child.reached, status));
  }
  munmap(shared, sizeof(std::size_t));
  return outcomes;
}

}  // namespace gradlab::conformance
