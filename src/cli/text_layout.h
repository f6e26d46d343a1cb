// How a subcommand lays out text beyond filled() of src/lab/trace_text.h.
#pragma once

#include <string>
#include <string_view>

namespace gradlab {

// Each line of `text` two columns further right; empty lines stay empty.
std::string indented(std::string_view text);

}  // namespace gradlab
