#include "src/lab/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "src/lab/findings.h"
#include "src/lab/graph.h"
#include "src/lab/timeline.h"
#include "src/lab/trace_text.h"

namespace gradlab {
namespace {

using trace::as;

class Explanation {
 public:
  Explanation(const trace::Trace& trace, bool with_color)
      : trace_(trace),
        run_(trace.runs.front()),
        frozen_(find_run(trace, trace::RunKind::kFrozen)),
        verdict_(verdict_on(run_, frozen_)),
        reads_(stale_reads(run_)),
        stale_(first_stale_read(run_)),
        paint_(with_color) {
    if (frozen_ != nullptr) damaged_ = damaged_leaves(run_, *frozen_);
    // What the version check refuses although nothing changed is no stale read.
    std::erase_if(reads_, [](const StaleRead& read) { return !read.is_changed; });
    if (!run_.steps.empty()) {
      for (TrailEnd& end : graph_of(trace, run_.steps.back().number).trail_ends) {
        if (!end.source.empty()) trail_ends_.push_back(std::move(end));
      }
    }
  }

  std::string text() const {
    std::string text = headline() + "\n" + timeline(run_, reads_, paint_) + "\n";
    text += is_stale() ? marked_steps() + "\n" + gradient() : nothing_is_stale();
    if (!trail_ends_.empty()) text += "\n" + trail();
    return text + repairs();
  }

 private:
  bool is_stale() const { return stale_ && stale_->is_changed; }

  // Whether a leaf's gradient is worth a word: all are, unless some are wrong and others not.
  bool concerns(const std::string& leaf) const { return damaged_.empty() || damaged_.contains(leaf); }

  // ---- the verdict ----

  std::string headline() const {
    const std::string name =
        printable(trace_.device.starts_with("cuda") ? trace_.program + " on " + trace_.device : trace_.program);
    switch (verdict_) {
      case Verdict::kLoud:
        return titled(name, "LOUD ERROR", &Paint::yellow, loud_reason());
      case Verdict::kSilentlyWrong:
        return frozen_ == nullptr ? titled(name, "STALE READ", &Paint::red, stale_reason())
                                  : titled(name, "SILENTLY WRONG", &Paint::red, wrong_reason());
      case Verdict::kRight:
        break;
    }
    if (!gradients(run_).empty()) return titled(name, "RIGHT", &Paint::green, right_reason());
    if (trail_ends_.empty()) return titled(name, "NO GRADIENT", &Paint::bold, "No backward was run.");
    std::vector<std::string> lost;
    for (const TrailEnd& end : trail_ends_) lost.push_back(end.tensor);
    return titled(name, "SILENTLY LOST", &Paint::red,
                  fmt::format("No gradient will ever flow through {}, and nothing says so.", listed(lost)));
  }

  std::string titled(const std::string& name, std::string_view verdict,
                     std::string (Paint::*color)(std::string_view) const, const std::string& reason) const {
    return fmt::format("{}: {}\n{}", name, (paint_.*color)(verdict), filled(reason));
  }

  std::string loud_reason() const {
    const int step = errors(run_).front().step;
    if (stale_ && stale_->is_refused) {
      const std::string writer = stale_->written_steps.empty() ? "something" : steps_text(stale_->written_steps);
      if (stale_->is_changed) {
        return fmt::format("Step {} reads {}, which {} wrote after step {} had saved it.", step, stale_->tensor, writer,
                           stale_->saved_step);
      }
      return fmt::format("Step {} refuses {}: {} moved its version, and left what step {} saved as it was.", step,
                         stale_->tensor, writer, stale_->saved_step);
    }
    for (const TrailEnd& end : trail_ends_) {
      if (end.step < step) {
        return fmt::format("Step {} finds no way back: the trail from {} stops at step {}.", step, end.tensor,
                           end.step);
      }
    }
    return fmt::format("Step {} raises {}.", step, errors(run_).front().error.type);
  }

  // A trace without the frozen run does not say what the right gradient is.
  std::string stale_reason() const {
    return fmt::format("Step {} read {}, which had changed since step {} saved it. Whether a gradient is wrong, this trace "
                       "does not tell: it has no run with private copies.",
                       stale_->read_step, stale_->tensor, stale_->saved_step);
  }

  std::string wrong_reason() const {
    std::vector<std::string> parts;
    const auto obtained = gradients(run_);
    for (const auto& [leaf, right] : gradients(*frozen_)) {
      if (!concerns(leaf)) continue;
      const auto found = obtained.find(leaf);
      if (found == obtained.end()) {
        parts.push_back(fmt::format("{}.grad is None and should be {}", leaf, value_text(right)));
        continue;
      }
      const auto [is, should_be] = texts_apart(found->second, right);
      parts.push_back(fmt::format("{}.grad is {} and should be {}", leaf, is, should_be));
    }
    const std::string because =
        is_stale() && stale_->written_step != 0
            ? fmt::format(": step {} read {} as step {} left it, not as step {} saved it", stale_->read_step,
                          stale_->tensor, stale_->written_steps.back(), stale_->saved_step)
            : "";
    return fmt::format("{}{}.", listed(parts), because);
  }

  std::string right_reason() const {
    if (!is_stale()) return "Backward read every saved tensor as it was saved.";
    return fmt::format("Step {} read {} after a write, but the gradient does not depend on it.", stale_->read_step,
                       stale_->tensor);
  }

  // ---- the three steps ----

  std::string marked(std::string_view mark, int step, const std::string& what) const {
    const trace::Step& statement = step_of(run_, step);
    const std::string place = statement.file.empty() ? "" : fmt::format(", {}:{}", statement.file, statement.line);
    constexpr std::size_t kIndent = 16;
    const std::string start = fmt::format("  {:<14}", mark);
    const std::string lines = filled(fmt::format("step {}{}", step, place), start, kIndent) +
                              filled(what, std::string(kIndent, ' '), kIndent);
    return paint_.bold(start) + lines.substr(start.size());
  }

  std::string marked_steps() const {
    const bool is_attribute = stale_->by == trace::SavedBy::kCtxAttribute;
    const std::string kept = is_attribute ? fmt::format("ctx.{} of {} is {}; nobody notes a version", stale_->attribute,
                                                        stale_->node_name, stale_->tensor)
                                          : fmt::format("{} saves {} at version {}", stale_->node_name, stale_->tensor,
                                                        stale_->saved_version);
    std::string text =
        "Where it happens\n" + marked(is_attribute ? "stored here" : "saved here", stale_->saved_step, kept);
    for (const int step : stale_->written_steps) text += marked("written here", step, write_in(step));
    return text + marked("read here", stale_->read_step, reading());
  }

  std::string write_in(int step) const {
    for (const trace::Event& event : run_.events) {
      if (event.step != step) continue;
      if (const auto* ghost = as<trace::GhostWrite>(event); ghost != nullptr && ghost->tensor == stale_->tensor) {
        return fmt::format("{}: {}, and the version stays {}", ghost->tensor, change_text(ghost->before, ghost->after),
                           ghost->version);
      }
      const auto* written = as<trace::TensorWritten>(event);
      if (written == nullptr) continue;
      const bool is_it = written->tensor == stale_->tensor;
      if (!is_it && !std::ranges::count(written->shared_with, stale_->tensor)) continue;
      const std::string versions = change_text(written->version_before, written->version_after);
      if (!is_it) return fmt::format("through {}, which shares its memory: version {}", written->tensor, versions);
      if (written->before == written->after)
        return fmt::format("{} is reported as written: version {}", written->tensor, versions);
      return fmt::format("{}: {}, version {}", written->tensor, change_text(written->before, written->after), versions);
    }
    return "";
  }

  std::string reading() const {
    if (stale_->is_refused) {
      return fmt::format("{} asks for version {} and finds {}: RuntimeError", stale_->node_name, stale_->saved_version,
                         stale_->read_version);
    }
    const auto [saved, read] = texts_apart(stale_->saved, stale_->read);
    return fmt::format("{} takes {} where {} was saved", stale_->node_name, read, saved);
  }

  // ---- the gradient ----

  std::string gradient() const {
    std::string text = "The gradient\n";
    const auto obtained = gradients(run_);
    const auto right = frozen_ == nullptr ? obtained : gradients(*frozen_);
    for (const auto& [leaf, value] : right) {
      if (!concerns(leaf)) continue;
      const auto found = obtained.find(leaf);
      const auto [is, should_be] = found == obtained.end() ? std::pair<std::string, std::string>("none", value_text(value))
                                                           : texts_apart(found->second, value);
      text += filled(is, fmt::format("  {:<39} ", fmt::format("{}.grad, obtained", leaf)), 42);
      if (frozen_ == nullptr) continue;
      text += filled(should_be, fmt::format("  {:<39} ", fmt::format("{}.grad, with the values as saved", leaf)), 42);
    }
    return text + filled("Would PyTorch have said anything? " + what_pytorch_says(), "  ", 2);
  }

  std::string what_pytorch_says() const {
    if (stale_->is_refused) {
      return fmt::format("Yes, the RuntimeError of step {}. It names a shape and two versions, but not {}.",
                         stale_->read_step, steps_text(stale_->written_steps));
    }
    if (stale_->by == trace::SavedBy::kCtxAttribute) {
      return fmt::format("No: ctx.{} is a plain attribute, and nobody checks its version.", stale_->attribute);
    }
    return "No: the check compares versions, and this write moved none.";
  }

  // ---- when nothing is stale ----

  std::string nothing_is_stale() const {
    const bool has_read = std::ranges::any_of(
        run_.events, [](const trace::Event& event) { return as<trace::TensorUnpacked>(event) != nullptr; });
    std::string text = filled(has_read ? "Nothing is stale: what backward read had not changed since it was saved."
                                       : "Nothing is stale: backward read no saved tensor.");
    std::set<std::pair<int, std::string>> told;
    for (const trace::Event& event : run_.events) {
      const auto* written = as<trace::TensorWritten>(event);
      const auto* ghost = as<trace::GhostWrite>(event);
      const std::string tensor = written != nullptr ? written->tensor : ghost != nullptr ? ghost->tensor : "";
      if (tensor.empty() || !told.insert({event.step, tensor}).second) continue;
      text += filled(fmt::format("Step {} wrote {}: {}.", event.step, tensor, why_harmless(tensor)), "  ", 4);
    }
    return text;
  }

  std::string why_harmless(const std::string& tensor) const {
    if (stale_ && stale_->is_refused) return "the version counts a write anywhere in this memory, whatever it changed";
    const auto is_of = [&](const trace::Event& event) {
      const auto* saved = as<trace::TensorSaved>(event);
      return saved != nullptr && saved->node != 0 && saved->tensor == tensor;
    };
    if (std::ranges::none_of(run_.events, is_of)) return "no node had saved it";
    return "nothing that was read changed";
  }

  std::string trail() const {
    std::string text = "Where the trail stops\n";
    for (const TrailEnd& end : trail_ends_) {
      text +=
          filled(fmt::format("{}, made from {} in step {}: {}", end.tensor, end.source, end.step, end.why), "  ", 4);
    }
    return text;
  }

  // ---- the repairs ----

  std::string repairs() const {
    std::string text;
    for (const trace::Run& run : trace_.runs) {
      if (run.kind != trace::RunKind::kRepair) continue;
      if (text.empty()) text = "\nRepairs, each of them run\n";
      const std::string outcome = outcome_of(run);
      const std::string start = fmt::format("  {:<45} ", run.title);
      const bool fits = start.size() + outcome.size() <= kPageWidth;
      text += fits ? start : filled(run.title, "  ", 2);
      text += painted(fits ? outcome + "\n" : filled(outcome, "      ", 8));
    }
    return text;
  }

  std::string outcome_of(const trace::Run& run) const {
    std::vector<std::string> parts;
    for (const auto& [leaf, value] : gradients(run)) {
      if (concerns(leaf)) parts.push_back(fmt::format("{}.grad is {}", leaf, value_text(value)));
    }
    const std::string given = listed(parts);
    switch (verdict_on(run, nullptr)) {
      case Verdict::kLoud:
        return fmt::format("loud: {} at step {}", errors(run).front().error.type, errors(run).front().step);
      case Verdict::kSilentlyWrong:
        return "still wrong: " + given;
      case Verdict::kRight:
        break;
    }
    return fmt::format("right{}: {}", condition_of(run), given);
  }

  // A write that was moved changes what is saved: the gradient is right for another input.
  std::string condition_of(const trace::Run& run) const {
    for (const trace::Event& event : run.events) {
      const auto* saved = as<trace::TensorSaved>(event);
      if (saved == nullptr || !stale_ || saved->tensor != stale_->tensor || saved->content == stale_->saved) continue;
      return fmt::format(" for {} = {}", saved->tensor, value_text(saved->content));
    }
    return "";
  }

  // The verdict in front of the colon in its colour.
  std::string painted(const std::string& outcome) const {
    const std::size_t begin = outcome.find_first_not_of(' ');
    const std::size_t end = outcome.find_first_of(": ", begin);
    const std::string word = outcome.substr(begin, end - begin);
    const std::string in_color = word == "right"  ? paint_.green(word)
                                 : word == "loud" ? paint_.yellow(word)
                                                  : paint_.red(word);
    return outcome.substr(0, begin) + in_color + outcome.substr(end);
  }

  const trace::Trace& trace_;
  const trace::Run& run_;
  const trace::Run* frozen_;
  Verdict verdict_;
  std::vector<StaleRead> reads_;
  std::optional<StaleRead> stale_;
  std::set<std::string> damaged_;  // leaves whose gradient is not the right one
  std::vector<TrailEnd> trail_ends_;
  Paint paint_;
};

}  // namespace

std::string explain_text(const trace::Trace& trace, bool with_color) { return Explanation(trace, with_color).text(); }

}  // namespace gradlab
