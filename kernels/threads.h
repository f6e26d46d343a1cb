// Threads of the CPU kernels. None is started before a kernel is large enough for two.
#pragma once

namespace gradlab {

// The number of threads a large kernel may use, the caller's included: what set_num_threads said, else the environment
// variable GRADLAB_NUM_THREADS (a number from 1 up; anything else is ignored), else one per core. Results do not depend on it.
int num_threads() noexcept;

// Sets that number from now on. REQUIRES: count >= 1.
void set_num_threads(int count) noexcept;

}  // namespace gradlab
