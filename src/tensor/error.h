// The user's mistakes, as the Python exception that PyTorch would raise.
#pragma once

#include <stdexcept>
#include <string>

namespace gradlab {

enum class ErrorType { kRuntimeError, kValueError, kIndexError, kTypeError, kNotImplementedError, kGradcheckError };

// The exception's Python name: "RuntimeError".
const char* python_name(ErrorType type);

// A mistake of the caller. what() is PyTorch 2.13's text where PyTorch has one.
class Error : public std::runtime_error {
 public:
  Error(ErrorType type, const std::string& message) : std::runtime_error(message), type_(type) {}

  ErrorType type() const { return type_; }
  const char* type_name() const { return python_name(type_); }

 private:
  ErrorType type_;
};

}  // namespace gradlab
