// Whether operations are recorded.
#pragma once

namespace gradlab {

// The thread's modes. Read by every op; set through the guards below.
struct GradMode {
  static bool is_enabled() { return enabled_; }
  static bool is_inference() { return inference_; }

 private:
  friend class GradModeGuard;
  friend class InferenceModeGuard;
  static inline constinit thread_local bool enabled_ = true;
  static inline constinit thread_local bool inference_ = false;
};

// Sets the mode until the end of the scope.
class GradModeGuard {
 public:
  explicit GradModeGuard(bool enabled) : before_(GradMode::enabled_) { GradMode::enabled_ = enabled; }
  ~GradModeGuard() { GradMode::enabled_ = before_; }
  GradModeGuard(const GradModeGuard&) = delete;
  GradModeGuard& operator=(const GradModeGuard&) = delete;

 private:
  bool before_;
};

// torch.no_grad(): nothing is recorded. In-place writes still move versions.
struct NoGradGuard : GradModeGuard {
  NoGradGuard() : GradModeGuard(false) {}
};

// torch.enable_grad().
struct EnableGradGuard : GradModeGuard {
  EnableGradGuard() : GradModeGuard(true) {}
};

// torch.inference_mode(): like no_grad, and fresh results have no version counter.
class InferenceModeGuard {
 public:
  InferenceModeGuard() : no_grad_(), before_(GradMode::inference_) { GradMode::inference_ = true; }
  ~InferenceModeGuard() { GradMode::inference_ = before_; }
  InferenceModeGuard(const InferenceModeGuard&) = delete;
  InferenceModeGuard& operator=(const InferenceModeGuard&) = delete;

 private:
  NoGradGuard no_grad_;
  bool before_;
};

}  // namespace gradlab
