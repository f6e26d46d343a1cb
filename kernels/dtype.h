// The element types the kernels work on.
#pragma once

#include <cstddef>
#include <cstdint>

namespace gradlab {

enum class DType : std::uint8_t { kFloat32, kFloat64, kInt32, kInt64, kBool };

// Bytes of one element.
constexpr std::size_t size_bytes(DType dtype) {
  switch (dtype) {
    case DType::kFloat32:
    case DType::kInt32: return 4;
    case DType::kFloat64:
    case DType::kInt64: return 8;
    case DType::kBool: return 1;
  }
  return 0;
}

constexpr bool is_floating_point(DType dtype) {
  return dtype == DType::kFloat32 || dtype == DType::kFloat64;
}

}  // namespace gradlab
