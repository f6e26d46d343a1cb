// What a node costs: recording it, walking it, freeing it. Counters are ns a node.
#include "bench/chain.h"

namespace gradlab::bench {
namespace {

// Whether this process has run a chain: memory once touched is not cold again.
bool touched = false;

template <class Step>
void warm(benchmark::State& state) {
  touched = true;
  run_chains(state, Step());
}

// From cold: the first chain of a process, every page of it fresh.
template <class Step>
void cold(benchmark::State& state) {
  if (touched) {
    state.SkipWithError("a cold chain needs a process of its own: select one with --benchmark_filter");
    return;
  }
  touched = true;
  run_chains(state, Step());
}

BENCHMARK(warm<CustomStep>)->Name("custom_warm")->Arg(1000)->UseManualTime();
BENCHMARK(warm<MulStep>)->Name("mul_warm")->Arg(1000)->UseManualTime();
BENCHMARK(cold<CustomStep>)->Name("custom_cold")->Arg(1'000'000)->Arg(10'000'000)->Iterations(1)->UseManualTime();
BENCHMARK(cold<MulStep>)->Name("mul_cold")->Arg(1'000'000)->Arg(10'000'000)->Iterations(1)->UseManualTime();

}  // namespace
}  // namespace gradlab::bench

BENCHMARK_MAIN();
