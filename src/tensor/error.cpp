#include "src/tensor/error.h"

namespace gradlab {

const char* python_name(ErrorType type) {
  switch (type) {
    case ErrorType::kRuntimeError: return "RuntimeError";
    case ErrorType::kValueError: return "ValueError";
    case ErrorType::kIndexError: return "IndexError";
    case ErrorType::kTypeError: return "TypeError";
    case ErrorType::kNotImplementedError: return "NotImplementedError";
    case ErrorType::kGradcheckError: return "GradcheckError";
  }
  return "RuntimeError";
}

}  // namespace gradlab
