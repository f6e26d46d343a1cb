// What gradlab-conformance does.
#pragma once

#include "tests/conformance/options.h"

namespace gradlab::conformance {

// Replays the files, or shows one program, on standard output. The exit status: 0 all identical or known to differ, 1 not,
// 3 the output cannot be written. Throws UsageError and InputError.
int run(const Options& options);

}  // namespace gradlab::conformance
