// A program from start to exit: bench_start [--benchmark_...] [--] [PROGRAM ARGUMENT...], `gradlab all` beside this
// program when none is given. Counters: the median "ms", and "peak_mb", the most memory resident at once (10^6 bytes).
#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "bench/timing.h"

extern char** environ;

namespace gradlab::bench {
namespace {

struct Run {
  double ms;
  double peak_mb;
  bool succeeded;
};

// Output goes to /dev/null. The peak includes that of this small program, whose memory a child has until it executes
// another: it is an upper bound.
Run run(const std::vector<std::string>& command) {
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);

  const auto begin = Clock::now();
  pid_t child = 0;
  const int failure = posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  int status = 0;
  rusage usage{};
  const bool waited = failure == 0 && wait4(child, &status, 0, &usage) == child;
  const auto end = Clock::now();

  posix_spawn_file_actions_destroy(&actions);
  return {ns_between(begin, end) * 1e-6, static_cast<double>(usage.ru_maxrss) * 1024 * 1e-6, waited && status == 0};
}

void start(benchmark::State& state, const std::vector<std::string>& command) {
  run(command);  // reads the files into the page cache
  std::vector<double> ms, peak_mb;
  for (auto _ : state) {
    const Run once = run(command);
    if (!once.succeeded) {
      state.SkipWithError(("failed: " + command[0]).c_str());
      return;
    }
    state.SetIterationTime(once.ms * 1e-3);
    ms.push_back(once.ms);
    peak_mb.push_back(once.peak_mb);
  }
  state.counters["ms"] = median(ms);
  state.counters["peak_mb"] = median(peak_mb);
}

}  // namespace
}  // namespace gradlab::bench

int main(int argc, char** argv) {
  const auto here = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  benchmark::Initialize(&argc, argv);
  std::vector<std::string> command(argv + 1, argv + argc);
  if (!command.empty() && command[0] == "--") command.erase(command.begin());
  if (command.empty()) command = {(here / "gradlab").string(), "all"};
  const char* runs = std::getenv("GRADLAB_BENCH_RUNS");
  benchmark::RegisterBenchmark("start", gradlab::bench::start, command)
      ->Iterations(runs == nullptr ? 50 : std::max(1, std::atoi(runs)))
      ->UseManualTime()
      ->Unit(benchmark::kMillisecond);
  benchmark::RunSpecifiedBenchmarks();
}
