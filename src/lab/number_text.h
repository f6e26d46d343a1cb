// Numbers inside a sentence: one number stands for itself, several stand as a Python list. Float32 values.
#pragma once

#include <string>

#include "src/lab/value.h"

namespace gradlab {

// The fewest digits that name the float32: "3", "2.5", "0.1", "1e+20", "nan". Several: "[3, 4]"; of more than
// 2 * Numbers::kEdge only the first and last ones: "[1, 2, 3, ..., 8, 9, 10]".
std::string short_text(const Numbers& numbers);

// The same with Python's mark of a float: "3.0", "2.5", "0.1".
std::string float_text(const Numbers& numbers);

// What .item() and .tolist() print, the float32 converted exactly: "60.0", "0.10000000149011612".
std::string item_text(const Numbers& numbers);

}  // namespace gradlab
