#include "src/autograd/anomaly.h"

#include <cmath>
#include <utility>

#include "src/autograd/graph_task.h"
#include "src/autograd/grad_mode.h"
#include "src/tensor/messages.h"
#include "src/tensor/tensor_impl.h"
#include "src/tensor/warning.h"

namespace gradlab {

namespace {

std::string& current_trace() {
  thread_local std::string trace;
  return trace;
}

bool has_nan(const Tensor& tensor) {
  if (!is_floating_point(tensor.dtype())) return false;
  const HostValues values(tensor);
  for (std::int64_t i = 0; i < tensor.numel(); ++i) {
    if (std::isnan(values[i])) return true;
  }
  return false;
}

}  // namespace

AnomalyGuard::AnomalyGuard(bool enabled, bool check_nan)
    : enabled_before_(std::exchange(AnomalyMode::enabled_, enabled)),
      check_nan_before_(std::exchange(AnomalyMode::check_nan_, check_nan)) {}

AnomalyGuard::~AnomalyGuard() {
  AnomalyMode::enabled_ = enabled_before_;
  AnomalyMode::check_nan_ = check_nan_before_;
}

DetectAnomalyGuard::DetectAnomalyGuard(bool check_nan) : AnomalyGuard(true, check_nan) { warn(messages::kAnomalyEnabled); }

ForwardTraceGuard::ForwardTraceGuard(std::string trace) : before_(std::exchange(current_trace(), std::move(trace))) {}
ForwardTraceGuard::~ForwardTraceGuard() { current_trace() = std::move(before_); }

std::unique_ptr<AnomalyMetadata> anomaly_metadata_for_new_node() {
  auto metadata = std::make_unique<AnomalyMetadata>();
  metadata->trace = current_trace();
  if (const Node* parent = GraphTask::running_node()) {
    metadata->parent_name = parent->name();
    if (parent->anomaly() != nullptr) metadata->parent_trace = parent->anomaly()->trace;
  }
  return metadata;
}

void warn_where_made(const Node& node) {
  if (node.anomaly() == nullptr) {
    warn(messages::anomaly_no_traceback(node.name()));
    return;
  }
  warn(messages::anomaly_traceback(node.name(), node.anomaly()->trace));
  if (!node.anomaly()->parent_name.empty()) {
    warn(messages::anomaly_induced(node.anomaly()->parent_name, node.anomaly()->parent_trace));
  }
}

void check_nan(const Node& node, const TensorList& grads) {
  const NoGradGuard no_grad;
  for (std::size_t i = 0; i < grads.size(); ++i) {
    if (grads[i].defined() && has_nan(grads[i])) throw messages::nan_gradient(node.name(), i);
  }
}

}  // namespace gradlab
