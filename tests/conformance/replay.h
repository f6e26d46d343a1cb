// One recorded program, replayed and compared step by step.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "tests/conformance/compare.h"

namespace gradlab::conformance {

// A step after which the engine shows something else than PyTorch did.
struct StepDifferences {
  std::size_t step = 0;  // counted from 1
  std::string text;      // describe()
  std::string kind;      // kind_of()
  std::vector<Difference> differences;
};

// What replaying a program, or formatting a printing row, found.
struct Outcome {
  std::string id;
  std::vector<StepDifferences> steps;  // empty: identical
  std::string malformed;               // not empty: the row is not what the format says, and why
  bool needed_noise = false;           // some values agree only as far as noise leaves them (NOTE [Rounding] in noise.h)

  bool is_identical() const { return steps.empty() && malformed.empty(); }
};

struct ReplayOptions {
  bool keeps_going = false;                 // past the first step that differs
  volatile std::size_t* reached = nullptr;  // told the number of each step before it runs
};

// Follows programs.py's Machine to the letter.
Outcome replay(const nlohmann::json& program, const ReplayOptions& options = {});

}  // namespace gradlab::conformance
