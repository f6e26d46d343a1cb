// How a test-case says that it could not run here.
#pragma once

#include <string>

namespace gradlab::test {

// Counts the running test-case as skipped, not as passed, in the closing summary. The caller returns after it:
//   if (!cuda_available()) return gradlab::test::skip("no CUDA device");
void skip(const std::string& reason);

}  // namespace gradlab::test
