// What an observer costs: a node without one, and with one installed that does nothing. Counters are ns a node. (What the
// test for an observer costs, bench_nodes and bench_nodes_unobserved show.)
#include "src/autograd/observer.h"

#include "bench/chain.h"

namespace gradlab::bench {
namespace {

template <class Step>
void without_observer(benchmark::State& state) {
  run_chains(state, Step());
}

template <class Step>
void with_empty_observer(benchmark::State& state) {
  Observer observer;
  const ObserverGuard guard(&observer);
  run_chains(state, Step());
}

BENCHMARK(without_observer<CustomStep>)->Name("custom_off")->Arg(1000)->UseManualTime();
BENCHMARK(with_empty_observer<CustomStep>)->Name("custom_empty")->Arg(1000)->UseManualTime();
BENCHMARK(without_observer<MulStep>)->Name("mul_off")->Arg(1000)->UseManualTime();
BENCHMARK(with_empty_observer<MulStep>)->Name("mul_empty")->Arg(1000)->UseManualTime();

}  // namespace
}  // namespace gradlab::bench

BENCHMARK_MAIN();
