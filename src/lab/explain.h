// Why a program's gradient is what it is, told from a trace and from nothing else.
#pragma once

#include <string>

#include "src/lab/event.h"

namespace gradlab {

// A verdict, a timeline, where a tensor was saved, written and read, the gradient obtained beside the right one, and
// what each repair gives; or where the trail to a leaf stops, and that nothing is stale. For 80 columns. REQUIRES: the
// trace has a run.
std::string explain_text(const trace::Trace& trace, bool with_color = false);

}  // namespace gradlab
