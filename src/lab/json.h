// JSON as the lab writes and reads it.
#pragma once

#include <cmath>
#include <nlohmann/json.hpp>

#include "src/tensor/format.h"

namespace gradlab {

using Json = nlohmann::ordered_json;  // fields keep their order

// JSON has no nan and no infinities: these are strings, as Python writes them.
inline Json json_number(double number) {
  if (std::isfinite(number)) return number;
  return python_float(number);
}

}  // namespace gradlab
