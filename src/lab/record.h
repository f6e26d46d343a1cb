// Running an experiment and recording what happens: as written, frozen, and once with each repair.
#pragma once

#include <span>
#include <string>

#include "kernels/device.h"
#include "src/lab/event.h"
#include "src/lab/parameter.h"

namespace gradlab {

struct Scenario;

// The first run is the experiment as written. The second keeps private copies of everything kept for backward, so that
// its gradients are those of the values at save time: the right ones, whatever the formula. When backward read
// something that had been written meanwhile, a run for each repair that fits follows. Observations and claims are not
// run. Throws UsageError and DeviceError; an Error raised by a step ends its run and is an event of it.
trace::Trace record_trace(const Scenario& scenario, std::span<const Setting> settings, Device device,
                          std::string producer);

}  // namespace gradlab
