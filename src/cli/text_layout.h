// Text for a terminal of 80 columns.
#pragma once

#include <string>
#include <string_view>

namespace gradlab {

// `start` and `text` in lines of at most 80 characters, where words allow; all but the first begin with `indent` spaces.
std::string wrapped(std::string_view text, std::string start = "  ", std::size_t indent = 2);

// Each line of `text` two columns further right; empty lines stay empty.
std::string indented(std::string_view text);

}  // namespace gradlab
