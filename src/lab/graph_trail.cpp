#include "src/lab/graph_trail.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

namespace gradlab {
namespace {

class Trail {
 public:
  explicit Trail(std::span<const trace::Event> events) : events_(events) {
    for (const trace::Event& event : events) {
      if (const auto* made = trace::as<trace::TensorMade>(event)) {
        made_[made->tensor] = &event;
        if (made->requires_grad) requires_grad_.insert(made->tensor);
      }
      if (const auto* set = trace::as<trace::GradFnSet>(event)) requires_grad_.insert(set->tensor);
      if (const auto* state = trace::as<trace::TensorState>(event); state && state->requires_grad)
        requires_grad_.insert(state->tensor);
      if (const auto* saved = trace::as<trace::TensorSaved>(event); saved && saved->node == 0)
        called_by_hand_.insert(event.step);
    }
  }

  // Where the trail from a tensor that does not require grad stops; nothing when it was made from nothing that does.
  std::optional<TrailEnd> end_of(const std::string& tensor) const {
    std::set<std::string> visited;
    return end_of(tensor, visited);
  }

  int made_in(const std::string& tensor) const {
    const auto found = made_.find(tensor);
    return found == made_.end() ? 0 : found->second->step;
  }

 private:
  std::optional<TrailEnd> end_of(const std::string& tensor, std::set<std::string>& visited) const {
    if (!visited.insert(tensor).second) return std::nullopt;
    const auto found = made_.find(tensor);
    if (found == made_.end()) return std::nullopt;
    const auto& made = std::get<trace::TensorMade>(found->second->body);
    std::vector<std::string> sources = made.inputs;
    if (sources.empty() && !made.base.empty()) sources.push_back(made.base);
    for (const std::string& source : sources) {
      if (requires_grad_.contains(source)) return end(tensor, source, why(made), found->second->step);
    }
    if (std::optional<TrailEnd> launch = end_at_launch(tensor, visited)) return launch;
    for (const std::string& source : sources) {
      if (std::optional<TrailEnd> before = end_of(source, visited)) return before;
    }
    return std::nullopt;
  }

  static std::string why(const trace::TensorMade& made) {
    if (made.origin == trace::Origin::kDetach) return "detach() leaves the graph";
    if (made.origin == trace::Origin::kData) return ".data leaves the graph";
    if (!made.grad_mode) return "no_grad: nothing is recorded";
    return made.op.empty() ? "it was not recorded" : fmt::format("{}: no gradient is defined", made.op);
  }

  // A raw kernel that was launched on this tensor's memory and on that of one that the trail would lead to.
  std::optional<TrailEnd> end_at_launch(const std::string& tensor, std::set<std::string>& visited) const {
    for (const trace::Event& event : events_) {
      const auto* launched = trace::as<trace::KernelLaunched>(event);
      if (launched == nullptr || !std::ranges::count(launched->tensors, tensor)) continue;
      for (const std::string& other : launched->tensors) {
        if (requires_grad_.contains(other)) return end(tensor, other, why(*launched, event.step), event.step);
      }
      for (const std::string& other : launched->tensors) {
        if (std::optional<TrailEnd> before = end_of(other, visited)) return before;
      }
    }
    return std::nullopt;
  }

  std::string why(const trace::KernelLaunched& launched, int step) const {
    if (called_by_hand_.contains(step)) {
      return fmt::format("forward was called directly, without apply; raw kernel {}", launched.kernel);
    }
    return fmt::format("raw kernel {}: autograd saw nothing", launched.kernel);
  }

  static TrailEnd end(const std::string& at, const std::string& source, std::string why, int step) {
    return {.tensor = at, .at = at, .source = source, .why = std::move(why), .step = step, .code = ""};
  }

  std::span<const trace::Event> events_;
  std::map<std::string, const trace::Event*> made_;
  std::set<std::string> requires_grad_;
  std::set<int> called_by_hand_;  // steps in which a forward saved on a ctx without a node
};

}  // namespace

std::vector<TrailEnd> trail_ends(const trace::Run& run, std::span<const trace::Event> events,
                                 std::span<const GraphTensor> tensors) {
  const Trail trail(events);
  std::vector<TrailEnd> ends;
  for (const GraphTensor& tensor : tensors) {
    if (tensor.requires_grad) continue;
    TrailEnd end = trail.end_of(tensor.name)
                       .value_or(TrailEnd{.tensor = tensor.name,
                                          .at = tensor.name,
                                          .source = "",
                                          .why = "made from nothing that requires grad",
                                          .step = trail.made_in(tensor.name),
                                          .code = ""});
    end.tensor = tensor.name;
    for (const trace::Step& step : run.steps) {
      if (step.number == end.step) end.code = step.code;
    }
    ends.push_back(std::move(end));
  }
  return ends;
}

}  // namespace gradlab
