// The texts of gradlab itself; each subcommand's help is made by CLI11.
#pragma once

#include <string>

namespace gradlab {

std::string help_text();

// One line on how to go on after a call without a subcommand.
std::string usage_hint();

}  // namespace gradlab
