// All experiments by name. A new one adds a file, its declaration here and its place in catalogue.cpp.
#pragma once

#include <span>
#include <string_view>

#include "src/lab/scenario.h"

namespace gradlab {

extern const Scenario kInvisible;
extern const Scenario kFunction;
extern const Scenario kSaveSafe;
extern const Scenario kSaveUnsafe;
extern const Scenario kWhatRecords;
extern const Scenario kForwardDirectly;
extern const Scenario kKernelOverwrite;
extern const Scenario kKernelConfesses;
extern const Scenario kDataWrite;
extern const Scenario kDetachWrite;
extern const Scenario kViewWrite;
extern const Scenario kSaveClone;
extern const Scenario kBackwardKernel;

inline constexpr ParameterSpec kFactorParameter = {"factor", ParameterKind::kNumber, "10",
                                                   "what x is multiplied by after forward"};

// In the order of `gradlab list`.
std::span<const Scenario* const> all_scenarios();

// Null when there is none of this name.
const Scenario* find_scenario(std::string_view name);

}  // namespace gradlab
