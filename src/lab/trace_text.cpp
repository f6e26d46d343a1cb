#include "src/lab/trace_text.h"

#include <fmt/format.h>

#include <cmath>

namespace gradlab {
namespace {

std::string number_text(double value, bool is_float32, bool with_all_digits) {
  if (std::isnan(value)) return "nan";
  if (with_all_digits) return is_float32 ? fmt::format("{}", static_cast<float>(value)) : fmt::format("{}", value);
  if (value == std::trunc(value) && std::abs(value) < 1e9) return fmt::format("{:.0f}", value);
  return fmt::format("{:.5g}", value);
}

std::string content_text(const trace::Content& content, bool with_all_digits) {
  if (!content.is_initialized) return "uninitialized";
  const bool is_float32 = content.dtype == "torch.float32";
  const auto element = [&](std::size_t i) { return number_text(content.values[i], is_float32, with_all_digits); };
  if (content.count == 1 && content.is_complete()) return element(0);
  constexpr std::size_t kFewElements = 4;
  const std::size_t kept = content.values.size();
  std::string text = "[";
  if (content.is_complete() && kept <= kFewElements) {
    for (std::size_t i = 0; i < kept; ++i) text += (i == 0 ? "" : ", ") + element(i);
  } else if (kept >= 3) {
    text += fmt::format("{}, {}, ..., {}", element(0), element(1), element(kept - 1));
  } else {
    text += "...";
  }
  return text + "]";
}

}  // namespace

std::string Paint::in(std::string_view code, std::string_view text) const {
  return is_on_ ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : std::string(text);
}

std::string value_text(const trace::Content& content) { return content_text(content, false); }

std::pair<std::string, std::string> texts_apart(const trace::Content& a, const trace::Content& b) {
  for (const bool with_all_digits : {false, true}) {
    std::pair<std::string, std::string> texts(content_text(a, with_all_digits), content_text(b, with_all_digits));
    if (texts.first != texts.second || a == b) return texts;
  }
  const std::string text = value_text(a);
  return {text, text + " (another where it is not shown)"};
}

std::string change_text(const trace::Content& before, const trace::Content& after) {
  if (before == after) return value_text(after);
  const auto [from, to] = texts_apart(before, after);
  return fmt::format("{} -> {}", from, to);
}

std::string change_text(std::uint32_t before, std::uint32_t after) {
  return before == after ? fmt::format("{}", after) : fmt::format("{} -> {}", before, after);
}

std::string run_name(const trace::Run& run) {
  switch (run.kind) {
    case trace::RunKind::kAsWritten:
      return "run as written";
    case trace::RunKind::kFrozen:
      return "run with a private copy of all that is kept";
    case trace::RunKind::kRepair:
      return "run with the repair: " + run.title;
  }
  return "";
}

std::string printable(std::string_view text) {
  std::string clean(text);
  for (char& c : clean) {
    if (c == '\n' || c == '\r' || c == '\t') c = ' ';
    if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') c = '?';
  }
  return clean;
}

std::string filled(std::string_view given, std::string_view start, std::size_t indent) {
  const std::string clean = printable(given);
  std::string_view text = clean;
  std::string lines;
  std::string line(start);
  bool is_empty = true;  // no word on this line yet
  while (!text.empty()) {
    const std::size_t space = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, space);
    text.remove_prefix(std::min(space + 1, text.size()));
    if (!is_empty && line.size() + 1 + word.size() > kPageWidth) {
      lines += line + "\n";
      line = std::string(indent, ' ');
      is_empty = true;
    }
    if (!is_empty) line += ' ';
    line += word;
    is_empty = false;
  }
  return lines + line + "\n";
}

std::string listed(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    text += (i == 0 ? "" : i + 1 == words.size() ? " and " : ", ") + words[i];
  }
  return text;
}

std::string steps_text(const std::vector<int>& steps) {
  std::vector<std::string> numbers;
  for (const int step : steps) numbers.push_back(std::to_string(step));
  return (steps.size() == 1 ? "step " : "steps ") + listed(numbers);
}

}  // namespace gradlab
