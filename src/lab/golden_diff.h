// Comparing an output with its golden.
#pragma once

#include <string>
#include <string_view>

#include "kernels/device.h"

namespace gradlab {

// "save-unsafe.txt", "save-unsafe.cuda.txt"
std::string golden_file_name(std::string_view output, Device device);

// `text` with each address after " object at " replaced by "...".
std::string mask_addresses(std::string_view text);

// The unified diff that turns `expected` into `actual`, three lines of context; "" when they are equal.
std::string unified_diff(std::string_view expected_name, std::string_view expected, std::string_view actual_name,
                         std::string_view actual);

}  // namespace gradlab
