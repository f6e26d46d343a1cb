#include "tests/conformance/report.h"

#include <algorithm>
#include <cctype>
#include <ostream>
#include <utility>
#include <vector>

#include "tests/conformance/lines.h"

namespace gradlab::conformance {
namespace {

// Numbers of any kind count as the same text, so that shapes and versions do not split a group.
std::string without_numbers(const std::string& text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_digit = std::isdigit(static_cast<unsigned char>(text[i])) != 0;
    const bool is_in_name = is_digit && i > 0 && std::isalpha(static_cast<unsigned char>(text[i - 1])) != 0;
    if (!is_digit || is_in_name) {
      result += text[i];
    } else if (!result.ends_with('#')) {
      result += '#';
    }
  }
  return result;
}

std::string group_of(const StepDifferences& step) {
  const Difference& first = step.differences.front();
  std::string group = step.kind + " | " + first.field;
  if (first.field == "values" || first.field == "grad") return group;
  return group + " | expected " + without_numbers(first.expected) + " | got " + without_numbers(first.got);
}

}  // namespace

KnownPrograms read_known(const std::string& path) {
  KnownPrograms known;
  LineReader lines(path);
  for (std::string line; lines.next(line);) {
    if (line.find_first_not_of(" \t") == std::string::npos || line.starts_with('#')) continue;
    const std::size_t space = line.find(' ');
    if (space == std::string::npos) throw InputError(lines.where() + ": a program id must be followed by the reason");
    known[line.substr(0, space)] = line.substr(space + 1);
  }
  return known;
}

void Report::add(const Outcome& outcome) {
  ++total_;
  if (outcome.is_identical()) {
    ++identical_;
    if (outcome.needed_noise) needed_noise_.push_back(outcome.id);
    return;
  }
  const auto known = known_.find(outcome.id);
  if (known != known_.end()) {
    known_differing_.insert(*known);
    return;
  }
  for (const StepDifferences& step : outcome.steps) {
    for (const Difference& difference : step.differences) {
      out_ << outcome.id << " step " << step.step << " (" << step.text << "): " << difference.tensor
           << (difference.tensor.empty() ? "" : " ") << difference.field << "\n  expected " << difference.expected
           << "\n  got      " << difference.got << '\n';
    }
  }
  const StepDifferences& first = outcome.steps.front();
  Group& group = groups_[group_of(first)];
  if (group.count++ == 0 || first.step < group.earliest_step) {
    group.earliest_id = outcome.id;
    group.earliest_step = first.step;
  }
}

void Report::print_summary() const {
  if (groups_.empty()) return;
  std::vector<std::pair<std::string, Group>> groups(groups_.begin(), groups_.end());
  std::stable_sort(groups.begin(), groups.end(),
                   [](const auto& a, const auto& b) { return a.second.count > b.second.count; });
  out_ << "first differences, by step and field:\n";
  for (const auto& [text, group] : groups) {
    out_ << "  " << group.count << "  " << text << "\n      earliest: " << group.earliest_id << " step "
         << group.earliest_step << '\n';
  }
}

void Report::print_totals() const {
  for (const auto& [id, reason] : known_differing_) out_ << "known to differ: " << id << ": " << reason << '\n';
  for (const std::string& id : needed_noise_) out_ << "identical within the noise of rounding: " << id << '\n';
  out_ << identical_ << " of " << total_ << " identical\n";
}

}  // namespace gradlab::conformance
