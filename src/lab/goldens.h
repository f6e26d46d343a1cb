// The golden texts of scenarios/golden/, embedded in the library when it is built (cmake/embed_goldens.cmake).
#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace gradlab {

// The whole text of scenarios/golden/`file_name` ("save-unsafe.txt"), null when there is no such file.
// The text lives as long as the program.
std::optional<std::string_view> golden_text(std::string_view file_name);

// The names of all embedded files, sorted.
std::span<const std::string_view> golden_names();

}  // namespace gradlab
