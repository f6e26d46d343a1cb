#pragma once

#include <string_view>

namespace gradlab {

std::string_view version();  // "0.1.0"

}  // namespace gradlab
