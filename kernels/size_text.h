// Internal to kernels/: an amount of memory in an error's text.
#pragma once

#include <cstddef>
#include <cstdio>
#include <string>

namespace gradlab {

// "1536 bytes (1.5 KiB)"; below 1 KiB "12 bytes".
inline std::string size_text(std::size_t size_bytes) {
  char text[64];
  const char* const units[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (size_bytes < 1024) {
    std::snprintf(text, sizeof text, "%zu bytes", size_bytes);
    return text;
  }
  double amount = static_cast<double>(size_bytes) / 1024;
  int unit = 0;
  for (; amount >= 1024; amount /= 1024) ++unit;
  std::snprintf(text, sizeof text, "%zu bytes (%.1f %s)", size_bytes, amount, units[unit]);
  return text;
}

}  // namespace gradlab
