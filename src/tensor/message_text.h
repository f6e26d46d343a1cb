// What the messages_*.cpp have in common: the kinds of error and how texts name dtypes and devices.
#pragma once

#include <fmt/format.h>

#include "src/tensor/format.h"
#include "src/tensor/messages.h"

namespace gradlab::messages {

template <class... Args>
Error runtime_error(fmt::format_string<Args...> text, Args&&... args) {
  return Error(ErrorType::kRuntimeError, fmt::format(text, std::forward<Args>(args)...));
}

template <class... Args>
Error index_error(fmt::format_string<Args...> text, Args&&... args) {
  return Error(ErrorType::kIndexError, fmt::format(text, std::forward<Args>(args)...));
}

// The C++ type, as some texts name a dtype.
inline const char* cpp_name(DType dtype) {
  switch (dtype) {
    case DType::kFloat32: return "float";
    case DType::kFloat64: return "double";
    case DType::kInt32: return "int";
    case DType::kInt64: return "long int";
    case DType::kBool: return "bool";
  }
  return "";
}

inline const char* device_name(Device device) { return device == Device::kCpu ? "cpu" : "cuda:0"; }
inline const char* device_type(Device device) { return device == Device::kCpu ? "cpu" : "cuda"; }

}  // namespace gradlab::messages
