// Internal to kernels/: a loop shared out to threads.
#pragma once

#include <cstdint>

namespace gradlab {

// A loop body over [begin, end), without allocation: the function object must outlive the call.
struct RangeBody {
  void (*call)(const void* function, std::int64_t begin, std::int64_t end);
  const void* function;
};

// Runs body over [0, count) in ranges whose borders are multiples of `grain`, on up to num_threads() threads; with fewer
// than two grains, when the threads are busy with another loop or when one thread is asked for, as one range on the
// caller's. The body must not throw.
void run_ranges(std::int64_t count, std::int64_t grain, RangeBody body);

template <class F>
void parallel_for(std::int64_t count, std::int64_t grain, const F& f) {
  if (count < 2 * grain) return f(std::int64_t{0}, count);
  run_ranges(count, grain, {[](const void* function, std::int64_t begin, std::int64_t end) {
                              (*static_cast<const F*>(function))(begin, end);
                            },
                            &f});
}

}  // namespace gradlab
