// An experiment as data: what it is about, what can be changed, and a function that lists its steps.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "src/lab/parameter.h"
#include "src/lab/source.h"

namespace gradlab {

class Lab;

// How the mistake that an experiment shows makes itself known.
enum class Mistake : std::uint8_t {
  kNone,    // there is none: the experiment shows how it is done
  kLoud,    // an Error is raised
  kSilent,  // nothing is raised, and the result is wrong or missing
};

std::string_view mistake_name(Mistake mistake);  // "loud"

// NOTE [A scenario is data]
// `list_steps` runs none of the steps: it names the tensors and hands the steps, the observations and the claims to the
// Lab, which runs them. So one experiment can be shown without running, run without its writes to get the right
// gradient, stopped half-way or put into another order, and nobody has to write a second version of it.
// docs/0008-a-scenario-is-data.md tells why.
struct Scenario {
  std::string_view name;  // the subcommand, the file's name with '-' for '_', and the golden's name
  std::string_view section;
  Mistake mistake;
  std::string_view shows;     // one line
  std::string_view question;  // what one may ask oneself before it runs
  std::span<const ParameterSpec> parameters;
  std::span<const Source> functions = {};  // what the steps call, for `show`
  void (*list_steps)(Lab& lab);
};

}  // namespace gradlab
