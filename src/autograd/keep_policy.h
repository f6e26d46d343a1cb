// Running a program again with what it keeps for backward kept differently: what-if, for explaining.
#pragma once

#include <cstdint>

#include "src/tensor/tensor.h"

namespace gradlab {

enum class KeepPolicy : std::uint8_t {
  kAsWritten,     // what the program says
  kFrozen,        // everything kept, guarded or not, is a private copy: later writes cannot reach it
  kGuardCtx,      // a ctx attribute is version-checked, as if it had gone through save_for_backward
};

// A copy of the content, outside the graph and unseen by observers.
Tensor frozen_copy(const Tensor& tensor);

struct KeepPolicyMode {
  static KeepPolicy current() { return current_; }

 private:
  friend class KeepPolicyGuard;
  static inline constinit thread_local KeepPolicy current_ = KeepPolicy::kAsWritten;
};

class KeepPolicyGuard {
 public:
  explicit KeepPolicyGuard(KeepPolicy policy) : before_(KeepPolicyMode::current_) { KeepPolicyMode::current_ = policy; }
  ~KeepPolicyGuard() { KeepPolicyMode::current_ = before_; }
  KeepPolicyGuard(const KeepPolicyGuard&) = delete;
  KeepPolicyGuard& operator=(const KeepPolicyGuard&) = delete;

 private:
  KeepPolicy before_;
};

}  // namespace gradlab
