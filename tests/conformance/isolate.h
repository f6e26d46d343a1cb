// Checks rows in a child process, so that an assertion or a crash of the engine is one more difference.
#pragma once

#include <vector>

#include "tests/conformance/replay.h"
#include "tests/conformance/rows.h"

namespace gradlab::conformance {

// In this process.
Outcome check(const Row& row, const ReplayOptions& options);

// One outcome for each row, in order. A row that kills the child, or takes longer than a minute, differs at the step it
// had reached; the next child goes on after it. Throws std::system_error when no process can be made.
std::vector<Outcome> check_isolated(const std::vector<Row>& rows, const ReplayOptions& options);

}  // namespace gradlab::conformance
