#pragma once

#include <cstdint>
#include <string_view>

namespace gradlab {

// What a step is for. Repairs and reruns go by it.
enum class StepRole : std::uint8_t {
  kSetup,     // makes inputs
  kForward,   // computes what backward will start from
  kWrite,     // changes a tensor in place; a run without writes gives the right gradient
  kBackward,  // runs backward; may end in an Error, which is an observation
  kObserve,   // looks at the state and changes nothing
};

std::string_view role_name(StepRole role);  // "setup"

}  // namespace gradlab
