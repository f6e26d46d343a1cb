#include "src/tensor/warning.h"

#include <utility>

namespace gradlab {

namespace {

WarningHandler& current_handler() {
  thread_local WarningHandler handler;
  return handler;
}

}  // namespace

void warn(const std::string& text, const std::string& category) {
  if (current_handler()) current_handler()({category, text});
}

void warn_once(std::atomic<bool>& has_warned, const std::string& text) {
  if (!has_warned.exchange(true)) warn(text);
}

WarningGuard::WarningGuard(WarningHandler handler) : before_(std::exchange(current_handler(), std::move(handler))) {}
WarningGuard::~WarningGuard() { current_handler() = std::move(before_); }

}  // namespace gradlab
