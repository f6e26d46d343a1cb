#include "src/lab/quiz.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <stdexcept>

namespace gradlab {
namespace {

std::string normalised(std::string_view text) {
  std::string result;
  for (const char c : text) {
    const auto lower = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (lower != ' ' || (!result.empty() && result.back() != ' ')) result += lower == '\t' ? ' ' : lower;
  }
  while (!result.empty() && std::isspace(static_cast<unsigned char>(result.back()))) result.pop_back();
  return result;
}

std::optional<double> number(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<StepRecord> nth_step(const Report& report, StepRole role, int nth) {
  std::optional<StepRecord> found;
  for (const StepRecord& step : report.steps) {
    if (step.role == role && nth-- > 0) found = step;
  }
  return found;
}

}  // namespace

AskedQuestion prepare(const QuizQuestion& question, std::span<const Setting> settings, Device device) {
  Lab rehearsal(*question.scenario, settings, device);
  rehearsal.run();
  AskedQuestion asked = {&question, {}};
  for (QuizChoice& choice : question.choices(rehearsal)) {
    const bool is_new = std::ranges::none_of(asked.choices, [&](const QuizChoice& c) { return c.text == choice.text; });
    if (is_new) asked.choices.push_back(std::move(choice));
  }
  return asked;
}

std::string letter(std::size_t choice) { return std::string(1, static_cast<char>('a' + choice)); }

std::optional<std::size_t> choice_of(const AskedQuestion& asked, std::string_view answer) {
  const std::string given = normalised(answer);
  for (std::size_t i = 0; i < asked.choices.size(); ++i) {
    const std::string text = normalised(asked.choices[i].text);
    if (given == text || given == letter(i) || given == letter(i) + ")") return i;
    const std::optional<double> value = number(given);
    if (value && value == number(text)) return i;
  }
  return std::nullopt;
}

QuizResult answer(const AskedQuestion& asked, std::optional<std::size_t> chosen, std::span<const Setting> settings,
                  Device device) {
  const QuizQuestion& question = *asked.question;
  Lab lab(*question.scenario, settings, device);
  QuizResult result = {.report = lab.run()};
  const std::string shown = question.shown(lab);
  const auto right = std::ranges::find(asked.choices, shown, &QuizChoice::text);
  if (right == asked.choices.end()) throw std::logic_error("the quiz has no choice '" + shown + "'");
  result.right = static_cast<std::size_t>(right - asked.choices.begin());
  if (chosen && *chosen != result.right) {
    const QuizChoice& wrong = asked.choices[*chosen];
    result.parting = nth_step(result.report, wrong.role, wrong.nth);
  }
  return result;
}

}  // namespace gradlab
