#include "scenarios/catalogue.h"

namespace gradlab {

std::span<const Scenario* const> all_scenarios() {
  static constexpr const Scenario* kScenarios[] = {
      &kInvisible,       &kFunction,  &kSaveSafe,    &kSaveUnsafe, &kWhatRecords, &kForwardDirectly, &kKernelOverwrite,
      &kKernelConfesses, &kDataWrite, &kDetachWrite, &kViewWrite,  &kSaveClone,   &kBackwardKernel,
  };
  return kScenarios;
}

const Scenario* find_scenario(std::string_view name) {
  for (const Scenario* scenario : all_scenarios()) {
    if (scenario->name == name) return scenario;
  }
  return nullptr;
}

}  // namespace gradlab
