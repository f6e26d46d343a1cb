// Where the trail from a tensor back to a leaf stops, and why.
#pragma once

#include <span>
#include <vector>

#include "src/lab/event.h"
#include "src/lab/graph.h"

namespace gradlab {

// An entry for each of `tensors` that does not require grad. `events`: those of `run` up to the moment.
std::vector<TrailEnd> trail_ends(const trace::Run& run, std::span<const trace::Event> events,
                                 std::span<const GraphTensor> tensors);

}  // namespace gradlab
