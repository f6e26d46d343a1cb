// Python's warnings: the engine hands them over, somebody shows them.
#pragma once

#include <atomic>
#include <functional>
#include <string>

namespace gradlab {

struct Warning {
  std::string category;  // "UserWarning"
  std::string text;
};

using WarningHandler = std::function<void(const Warning&)>;

// Hands the warning to the innermost handler; without one it is dropped.
void warn(const std::string& text, const std::string& category = "UserWarning");

// The same, the first time in the process only: `has_warned` is the caller's static flag.
void warn_once(std::atomic<bool>& has_warned, const std::string& text);

// Receives the thread's warnings while it lives.
class WarningGuard {
 public:
  explicit WarningGuard(WarningHandler handler);
  ~WarningGuard();
  WarningGuard(const WarningGuard&) = delete;
  WarningGuard& operator=(const WarningGuard&) = delete;

 private:
  WarningHandler before_;
};

}  // namespace gradlab
