// torch.autograd.detect_anomaly: each node remembers where it was made, and gradients are searched for nan.
#pragma once

#include <string>

#include "src/autograd/node.h"

namespace gradlab {

// Where a node was made.
struct AnomalyMetadata {
  std::string trace;  // what forward_trace() said then
  std::string parent_name;   // the node in whose backward it was made, or empty
  std::string parent_trace;
};

struct AnomalyMode {
  static bool is_enabled() { return enabled_; }
  static bool checks_nan() { return check_nan_; }

 private:
  friend class AnomalyGuard;
  static inline constinit thread_local bool enabled_ = false;
  static inline constinit thread_local bool check_nan_ = true;
};

// torch.autograd.set_detect_anomaly as a scope.
class AnomalyGuard {
 public:
  explicit AnomalyGuard(bool enabled = true, bool check_nan = true);
  ~AnomalyGuard();
  AnomalyGuard(const AnomalyGuard&) = delete;
  AnomalyGuard& operator=(const AnomalyGuard&) = delete;

 private:
  bool enabled_before_;
  bool check_nan_before_;
};

// torch.autograd.detect_anomaly as a scope: the same, with a warning that it is on.
struct DetectAnomalyGuard : AnomalyGuard {
  explicit DetectAnomalyGuard(bool check_nan = true);
};

// The text that new nodes remember as the place they were made: the Lab sets it to the step that runs. While the guard lives.
class ForwardTraceGuard {
 public:
  explicit ForwardTraceGuard(std::string trace);
  ~ForwardTraceGuard();
  ForwardTraceGuard(const ForwardTraceGuard&) = delete;
  ForwardTraceGuard& operator=(const ForwardTraceGuard&) = delete;

 private:
  std::string before_;
};

// For a node being made while anomaly mode is on.
std::unique_ptr<AnomalyMetadata> anomaly_metadata_for_new_node();

// Warns where `node` was made, before the error that it raised goes on.
void warn_where_made(const Node& node);

// Throws "Function '...' returned nan values in its 0th output." if one of `grads` holds a nan.
void check_nan(const Node& node, const TensorList& grads);

}  // namespace gradlab
