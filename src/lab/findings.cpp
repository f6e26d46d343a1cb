#include "src/lab/findings.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace gradlab {
namespace {

using trace::as;

// Whether the event wrote `tensor`; `is_ghost` tells how.
bool writes_to(const trace::Event& event, const std::string& tensor, bool& is_ghost) {
  if (const auto* ghost = as<trace::GhostWrite>(event); ghost != nullptr && ghost->tensor == tensor) {
    is_ghost = true;
    return true;
  }
  const auto* written = as<trace::TensorWritten>(event);
  is_ghost = false;
  return written != nullptr && (written->tensor == tensor || std::ranges::count(written->shared_with, tensor) > 0);
}

class Reader {
 public:
  explicit Reader(const trace::Run& run) : run_(run) {}

  std::vector<StaleRead> stale_reads() const {
    std::vector<StaleRead> reads;
    for (std::size_t i = 0; i < run_.events.size(); ++i) {
      const auto* unpacked = as<trace::TensorUnpacked>(run_.events[i]);
      if (unpacked == nullptr || unpacked->outcome == trace::UnpackOutcome::kFreed) continue;
      if (const std::optional<std::size_t> saved = saved_before(i, *unpacked)) add(reads, *saved, i);
    }
    return reads;
  }

 private:
  std::optional<std::size_t> saved_before(std::size_t end, const trace::TensorUnpacked& unpacked) const {
    for (std::size_t i = end; i-- > 0;) {
      const auto* saved = as<trace::TensorSaved>(run_.events[i]);
      if (saved != nullptr && saved->node == unpacked.node && saved->tensor == unpacked.tensor &&
          saved->by == unpacked.by && saved->attribute == unpacked.attribute) {
        return i;
      }
    }
    return std::nullopt;
  }

  void add(std::vector<StaleRead>& reads, std::size_t saved_at, std::size_t read_at) const {
    const auto& saved = std::get<trace::TensorSaved>(run_.events[saved_at].body);
    const auto& unpacked = std::get<trace::TensorUnpacked>(run_.events[read_at].body);
    StaleRead read{.tensor = saved.tensor,
                   .node = saved.node,
                   .node_name = name_of(saved.node),
                   .by = saved.by,
                   .attribute = saved.attribute,
                   .saved_step = run_.events[saved_at].step,
                   .written_step = 0,
                   .written_steps = {},
                   .read_step = run_.events[read_at].step,
                   .is_ghost = false,
                   .is_refused = unpacked.outcome == trace::UnpackOutcome::kStale,
                   .is_changed = unpacked.content.fingerprint != saved.content.fingerprint,
                   .saved_version = saved.version,
                   .read_version = unpacked.version,
                   .saved = saved.content,
                   .read = unpacked.content};
    if (!read.is_refused && !read.is_changed) return;
    for (std::size_t i = saved_at; i < run_.events.size(); ++i) {
      const trace::Event& event = run_.events[i];
      // A ghost write is seen at the end of its step, which may be the step that reads.
      if (i > read_at && (event.step != read.read_step || as<trace::GhostWrite>(event) == nullptr)) continue;
      bool is_ghost = false;
      if (!writes_to(event, saved.tensor, is_ghost)) continue;
      if (read.written_steps.empty()) read.is_ghost = is_ghost;
      if (!std::ranges::count(read.written_steps, event.step)) read.written_steps.push_back(event.step);
    }
    if (!read.written_steps.empty()) read.written_step = read.written_steps.front();
    reads.push_back(std::move(read));
  }

  std::string name_of(int node) const {
    for (const trace::Event& event : run_.events) {
      if (const auto* made = as<trace::NodeMade>(event); made != nullptr && made->node == node) return made->name;
    }
    return "";
  }

  const trace::Run& run_;
};

}  // namespace

std::vector<StaleRead> stale_reads(const trace::Run& run) { return Reader(run).stale_reads(); }

std::optional<StaleRead> first_stale_read(const trace::Run& run) {
  std::vector<StaleRead> reads = stale_reads(run);
  const auto changed = std::ranges::find(reads, true, &StaleRead::is_changed);
  if (changed != reads.end()) return *changed;
  return reads.empty() ? std::nullopt : std::optional(reads.front());
}

std::map<std::string, trace::Content> gradients(const trace::Run& run) {
  std::map<std::string, trace::Content> gradients;
  for (const trace::Event& event : run.events) {
    if (const auto* accumulated = as<trace::GradAccumulated>(event)) {
      gradients[accumulated->tensor] = accumulated->grad;
    }
  }
  return gradients;
}

namespace {

bool is_same_number(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

bool are_same_numbers(const trace::Content& a, const trace::Content& b) {
  if (a == b) return true;
  const bool are_kept = a.is_complete() && b.is_complete() && a.is_initialized && b.is_initialized;
  return are_kept && a.shape == b.shape && a.dtype == b.dtype && std::ranges::equal(a.values, b.values, is_same_number);
}

}  // namespace

std::set<std::string> damaged_leaves(const trace::Run& run, const trace::Run& frozen) {
  std::set<std::string> damaged;
  const std::map<std::string, trace::Content> obtained = gradients(run);
  for (const auto& [leaf, right] : gradients(frozen)) {
    const auto found = obtained.find(leaf);
    if (found == obtained.end() || !are_same_numbers(found->second, right)) damaged.insert(leaf);
  }
  return damaged;
}

std::vector<RaisedError> errors(const trace::Run& run) {
  std::vector<RaisedError> errors;
  for (const trace::Event& event : run.events) {
    if (const auto* raised = as<trace::ErrorRaised>(event)) errors.push_back({event.step, *raised});
  }
  return errors;
}

Verdict verdict_on(const trace::Run& run, const trace::Run* frozen) {
  if (!errors(run).empty()) return Verdict::kLoud;
  if (std::ranges::none_of(stale_reads(run), &StaleRead::is_changed)) return Verdict::kRight;
  return frozen == nullptr || !damaged_leaves(run, *frozen).empty() ? Verdict::kSilentlyWrong : Verdict::kRight;
}

const trace::Run* find_run(const trace::Trace& trace, trace::RunKind kind) {
  const auto found = std::ranges::find(trace.runs, kind, &trace::Run::kind);
  return found == trace.runs.end() ? nullptr : &*found;
}

const trace::Step& step_of(const trace::Run& run, int number) {
  const auto found = std::ranges::find(run.steps, number, &trace::Step::number);
  if (found == run.steps.end()) throw std::out_of_range("there is no step " + std::to_string(number));
  return *found;
}

}  // namespace gradlab
