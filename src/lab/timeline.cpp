#include "src/lab/timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace gradlab {
namespace {

using trace::as;

constexpr std::size_t kMarkWidth = 12;
constexpr std::size_t kTensorWidth = 11;
constexpr std::size_t kValueWidth = 16;
constexpr std::size_t kVersionWidth = 9;

struct Row {
  std::string mark;  // "> WRITTEN", or ""
  std::string tensor;
  std::string value;
  std::string version;
  std::string saw;
};

// Cells in columns; one that is too wide pushes what follows to the next line. A change too long for the page is broken.
std::string laid_out(const Row& row, const Paint& paint) {
  std::string text;
  std::string line;
  std::size_t column = 0;
  const auto place = [&](const std::string& cell, std::size_t width) {
    if (line.size() > column || (line.size() == column && column > 0 && !line.ends_with(' '))) {
      text += line + "\n";
      line.clear();
    }
    line.resize(std::max(line.size(), column), ' ');
    line += cell;
    column += width;
  };
  place(fmt::format("  {:<{}}", row.mark, kMarkWidth - 2), kMarkWidth);
  place(row.tensor, kTensorWidth);
  const std::size_t arrow = row.value.find(" -> ");
  if (arrow != std::string::npos && column + row.value.size() > kPageWidth) {
    place(row.value.substr(0, arrow + 3), 0);
    place(row.value.substr(arrow + 4), kValueWidth);
  } else {
    place(row.value, kValueWidth);
  }
  place(row.version, kVersionWidth);
  if (!row.saw.empty()) {
    place("", 0);
    text += filled(row.saw, line, column);
  } else {
    text += line + "\n";
  }
  std::string trimmed;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    const std::size_t last = text.find_last_not_of(' ', end - 1);
    trimmed += text.substr(at, last - at + 1) + "\n";
    at = end + 1;
  }
  if (row.mark.empty()) return trimmed;
  const std::size_t mark_at = trimmed.find(row.mark);
  return trimmed.substr(0, mark_at) + paint.red(row.mark) + trimmed.substr(mark_at + row.mark.size());
}

class Timeline {
 public:
  Timeline(const trace::Run& run, const std::vector<StaleRead>& reads, const Paint& paint)
      : run_(run), reads_(reads), paint_(paint) {
    for (const trace::Event& event : run.events) {
      if (const auto* made = as<trace::NodeMade>(event)) node_names_[made->node] = made->name;
      const auto* tensor = as<trace::TensorMade>(event);
      if (tensor != nullptr && tensor->origin == trace::Origin::kData) has_own_counter_.insert(tensor->tensor);
    }
  }

  std::string text() {
    std::string text = laid_out({"step", "tensor", "value", "version", "what autograd saw"}, Paint(false));
    for (const trace::Step& step : run_.steps) {
      text += filled(step.code, fmt::format("  {:<3}", step.number), 7);
      shown_.clear();
      for (const trace::Event& event : run_.events) {
        if (event.step == step.number) text += row_of(event);
      }
    }
    return text;
  }

 private:
  std::string row_of(const trace::Event& event) {
    if (const auto* launched = as<trace::KernelLaunched>(event)) return row(*launched);
    if (const auto* saved = as<trace::TensorSaved>(event)) return row(*saved);
    if (const auto* written = as<trace::TensorWritten>(event)) return row(*written, event.step);
    if (const auto* ghost = as<trace::GhostWrite>(event)) return row(*ghost, event.step);
    if (const auto* unpacked = as<trace::TensorUnpacked>(event)) return row(*unpacked);
    if (const auto* accumulated = as<trace::GradAccumulated>(event)) {
      return show({"", accumulated->tensor + ".grad", value_text(accumulated->grad), "", "accumulated"});
    }
    if (const auto* raised = as<trace::ErrorRaised>(event)) {
      return filled(fmt::format("{}: {}", raised->type, raised->message), std::string(kMarkWidth, ' '), kMarkWidth);
    }
    if (const auto* state = as<trace::TensorState>(event)) return row(*state);
    return "";
  }

  std::string row(const trace::KernelLaunched& launched) {
    return show(
        {"", listed(launched.tensors), "", "", fmt::format("nothing: kernel {} got pointers", launched.kernel)});
  }

  std::string row(const trace::TensorSaved& saved) {
    const bool is_attribute = saved.by == trace::SavedBy::kCtxAttribute;
    const std::string mark = is_read_later(saved.node, saved.tensor) ? (is_attribute ? "> STORED" : "> SAVED") : "";
    std::string saw = fmt::format("saved by {}, version noted", name_of(saved.node));
    if (is_attribute) saw = fmt::format("ctx.{} of {}: no version noted", saved.attribute, name_of(saved.node));
    if (saved.node == 0) saw = "forward called directly: its ctx belongs to no node";
    return show({mark, saved.tensor, value_text(saved.content), fmt::format("{}", saved.version), saw});
  }

  std::string row(const trace::TensorWritten& written, int step) {
    bool is_marked = is_written(written.tensor, step);
    for (const std::string& other : written.shared_with) is_marked = is_marked || is_written(other, step);
    shown_.insert(written.tensor);
    const bool has_changed = !(written.before == written.after);
    return show({is_marked ? "> WRITTEN" : "", written.tensor, change_text(written.before, written.after),
                 change_text(written.version_before, written.version_after),
                 has_own_counter_.contains(written.tensor) ? "counted, by a counter of its own"
                 : has_changed                             ? "an in-place write, counted"
                                                           : "a write is counted"});
  }

  std::string row(const trace::GhostWrite& ghost, int step) {
    shown_.insert(ghost.tensor);
    return show({is_written(ghost.tensor, step) ? "> WRITTEN" : "", ghost.tensor,
                 change_text(ghost.before, ghost.after), fmt::format("{}", ghost.version),
                 "nothing: written behind the version counter"});
  }

  std::string row(const trace::TensorUnpacked& unpacked) {
    const bool is_marked = std::ranges::any_of(reads_, [&](const StaleRead& read) {
      return read.node == unpacked.node && read.tensor == unpacked.tensor && read.attribute == unpacked.attribute;
    });
    const std::string reader = name_of(unpacked.node);
    std::string saw;
    switch (unpacked.outcome) {
      case trace::UnpackOutcome::kOk:
        saw = unpacked.by == trace::SavedBy::kCtxAttribute
                  ? fmt::format("{} reads ctx.{}, no check", reader, unpacked.attribute)
                  : fmt::format("{} reads it: still version {}", reader, unpacked.expected_version);
        break;
      case trace::UnpackOutcome::kStale:
        saw = fmt::format("{} asks for version {}: refused", reader, unpacked.expected_version);
        break;
      case trace::UnpackOutcome::kFreed:
        return show({"", unpacked.tensor, "", "", fmt::format("{} asks for it: freed", reader)});
    }
    return show({is_marked ? "> READ" : "", unpacked.tensor, value_text(unpacked.content),
                 fmt::format("{}", unpacked.version), saw});
  }

  // A tensor that is new, or that changed without a row of its own.
  std::string row(const trace::TensorState& state) {
    const auto [before, is_new] = states_.try_emplace(state.tensor, state);
    const trace::TensorState old = std::exchange(before->second, state);
    const bool is_shown = shown_.contains(state.tensor);
    const bool same_content = old.content == state.content && old.version == state.version;
    if (!is_new && (is_shown || (same_content && old.grad_fn == state.grad_fn))) return "";
    const std::string kind = state.grad_fn != 0     ? fmt::format("grad_fn {}", name_of(state.grad_fn))
                             : !state.requires_grad ? "no grad_fn"
                                                    : "a leaf that requires grad";
    const bool is_filled = !old.content.is_initialized && state.content.is_initialized;
    const std::string saw = same_content ? kind : is_filled ? "filled, still " + kind : "written with it: one memory";
    return show({"", state.tensor, is_filled ? value_text(state.content) : change_text(old.content, state.content),
                 change_text(old.version, state.version), saw});
  }

  std::string show(const Row& row) { return laid_out(row, paint_); }

  bool is_read_later(int node, const std::string& tensor) const {
    return std::ranges::any_of(reads_,
                               [&](const StaleRead& read) { return read.node == node && read.tensor == tensor; });
  }
  bool is_written(const std::string& tensor, int step) const {
    return std::ranges::any_of(reads_, [&](const StaleRead& read) {
      return read.tensor == tensor && std::ranges::count(read.written_steps, step) > 0;
    });
  }
  std::string name_of(int node) const {
    const auto found = node_names_.find(node);
    return found == node_names_.end() ? "backward" : found->second;
  }

  const trace::Run& run_;
  const std::vector<StaleRead>& reads_;
  const Paint& paint_;
  std::map<int, std::string> node_names_;
  std::map<std::string, trace::TensorState> states_;
  std::set<std::string> has_own_counter_;
  std::set<std::string> shown_;  // tensors that have a row in this step
};

}  // namespace

std::string timeline(const trace::Run& run, const std::vector<StaleRead>& reads, const Paint& paint) {
  return Timeline(run, reads, paint).text();
}

}  // namespace gradlab
