// A run as a table: each step, what it did to the tensors, and what autograd saw of it.
#pragma once

#include <string>
#include <vector>

#include "src/lab/event.h"
#include "src/lab/findings.h"
#include "src/lab/trace_text.h"

namespace gradlab {

// The rows that belong to one of `reads` are marked: saved or stored, written, read.
std::string timeline(const trace::Run& run, const std::vector<StaleRead>& reads, const Paint& paint);

}  // namespace gradlab
