// The comparing half of trace_print.h.
#include <fmt/format.h>

#include <algorithm>

#include "src/lab/json.h"
#include "src/lab/trace_json.h"
#include "src/lab/trace_print.h"
#include "src/lab/trace_text.h"

namespace gradlab {
namespace {

void drop_fingerprints(Json& json) {
  if (json.is_object()) json.erase("fingerprint");
  for (Json& entry : json) {
    if (entry.is_structured()) drop_fingerprints(entry);
  }
}

class Comparison {
 public:
  Comparison(const trace::Trace& a, const trace::Trace& b)
      : a_(a), b_(b), with_fingerprints_(a.producer == b.producer) {}

  std::optional<std::string> first_difference() const {
    const std::size_t runs = std::min(a_.runs.size(), b_.runs.size());
    for (std::size_t i = 0; i < runs; ++i) {
      if (std::optional<std::string> found = compare(a_.runs[i], b_.runs[i])) return found;
    }
    if (a_.runs.size() == b_.runs.size()) return std::nullopt;
    const bool a_is_longer = a_.runs.size() > runs;
    const trace::Run& extra = (a_is_longer ? a_ : b_).runs[runs];
    return fmt::format("Only {} has the {}.\n", a_is_longer ? "A" : "B", run_name(extra));
  }

 private:
  std::optional<std::string> compare(const trace::Run& a, const trace::Run& b) const {
    if (a.kind != b.kind || a.title != b.title) {
      return fmt::format("A has the {} where B has the {}.\n", run_name(a), run_name(b));
    }
    const std::size_t steps = std::max(a.steps.size(), b.steps.size());
    for (std::size_t i = 0; i < steps; ++i) {
      const trace::Step* step_a = i < a.steps.size() ? &a.steps[i] : nullptr;
      const trace::Step* step_b = i < b.steps.size() ? &b.steps[i] : nullptr;
      if (step_a == nullptr || step_b == nullptr || step_a->code != step_b->code || step_a->role != step_b->role) {
        const auto text = [](const trace::Step* step) { return step == nullptr ? "(no step)" : step->code; };
        return fmt::format("{}, step {}:\n  A  {}\n  B  {}\n", run_name(a), (step_a ? step_a : step_b)->number,
                           text(step_a), text(step_b));
      }
      if (std::optional<std::string> found = compare(a, b, *step_a, *step_b)) return found;
    }
    return std::nullopt;
  }

  std::optional<std::string> compare(const trace::Run& a, const trace::Run& b, const trace::Step& step_a,
                                     const trace::Step& step_b) const {
    const std::vector<const trace::Event*> events_a = events_of(a, step_a.number);
    const std::vector<const trace::Event*> events_b = events_of(b, step_b.number);
    for (std::size_t i = 0; i < std::max(events_a.size(), events_b.size()); ++i) {
      const trace::Event* event_a = i < events_a.size() ? events_a[i] : nullptr;
      const trace::Event* event_b = i < events_b.size() ? events_b[i] : nullptr;
      if (event_a != nullptr && event_b != nullptr && json_of(*event_a) == json_of(*event_b)) continue;
      const auto text = [](const trace::Event* event) { return event == nullptr ? "(no event)" : event_text(*event); };
      return fmt::format("{}, step {}: {}\n  event {} of the step differs\n  A  {}\n  B  {}\n{}", run_name(a),
                         step_a.number, step_a.code, i + 1, text(event_a), text(event_b), fields(event_a, event_b));
    }
    return std::nullopt;
  }

  static std::vector<const trace::Event*> events_of(const trace::Run& run, int step) {
    std::vector<const trace::Event*> events;
    for (const trace::Event& event : run.events) {
      if (event.step == step) events.push_back(&event);
    }
    return events;
  }

  // Step numbers may differ where the statements are the same.
  Json json_of(const trace::Event& event) const {
    Json json = Json::parse(event_to_json(event));
    json.erase("step");
    if (!with_fingerprints_) drop_fingerprints(json);
    return json;
  }

  // Two events of one kind: which fields differ.
  std::string fields(const trace::Event* event_a, const trace::Event* event_b) const {
    if (event_a == nullptr || event_b == nullptr || kind_of(*event_a) != kind_of(*event_b)) return "";
    const Json a = json_of(*event_a);
    const Json b = json_of(*event_b);
    std::vector<std::string> names;
    for (const auto& [name, value] : a.items()) {
      if (!b.contains(name) || b[name] != value) names.push_back(name);
    }
    for (const auto& [name, value] : b.items()) {
      if (!a.contains(name)) names.push_back(name);
    }
    return fmt::format("  in {}\n", listed(names));
  }

  const trace::Trace& a_;
  const trace::Trace& b_;
  bool with_fingerprints_;
};

}  // namespace

std::optional<std::string> first_difference(const trace::Trace& a, const trace::Trace& b) {
  return Comparison(a, b).first_difference();
}

}  // namespace gradlab
