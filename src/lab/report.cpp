#include "src/lab/report.h"

#include <algorithm>
#include <stdexcept>

#include "src/lab/scenario.h"

namespace gradlab {

bool Report::is_reproduced() const {
  return std::all_of(claims.begin(), claims.end(), [](const Claim& claim) { return claim.holds; });
}

const Value& Report::value(std::string_view key) const {
  for (const Observation& observation : observations) {
    if (observation.key == key) return observation.value;
  }
  throw std::out_of_range(name + " has no observation '" + std::string(key) + "'");
}

std::string_view role_name(StepRole role) {
  switch (role) {
    case StepRole::kSetup:
      return "setup";
    case StepRole::kForward:
      return "forward";
    case StepRole::kWrite:
      return "write";
    case StepRole::kBackward:
      return "backward";
    case StepRole::kObserve:
      return "observe";
  }
  return "";
}

std::string_view mistake_name(Mistake mistake) {
  switch (mistake) {
    case Mistake::kNone:
      return "none";
    case Mistake::kLoud:
      return "loud";
    case Mistake::kSilent:
      return "silent";
  }
  return "";
}

}  // namespace gradlab
