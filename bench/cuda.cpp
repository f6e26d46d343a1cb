// GELU on the GPU: NAME/n/threads, threads always 1. The counter "ns" is for one op: a steady clock around many
// launches and one wait for the device, so for small n it is what a launch costs. Without a device it prints SKIPPED
// and succeeds.
#include <cstdio>

#include "bench/gelu_cases.h"

int main(int argc, char** argv) {
  using namespace gradlab;
  constexpr std::int64_t k20 = 1 << 20, k24 = 1 << 24, k28 = 1 << 28, k29 = 1 << 29;
  const std::vector<std::int64_t> sizes{1, 33, 1023, 1024, 1025, 65'537, k20, k20 + 1, k24, k24 + 3, k28, k28 + 1, k29};
  bench::register_cases(bench::kCases, Device::kCuda, sizes, {1}, [](std::int64_t) {});
  bench::register_cases(bench::kMatrixCases, Device::kCuda, {k20, k24, k28}, {1}, [](std::int64_t) {});
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  try {
    require_device(Device::kCuda);
  } catch (const DeviceError& error) {
    std::printf("SKIPPED: %s\n", error.what());
    return 0;
  }
  benchmark::RunSpecifiedBenchmarks();
}
