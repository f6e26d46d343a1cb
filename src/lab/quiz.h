// Asking a learner what an experiment will do, before it does it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/lab/lab.h"

namespace gradlab {

// One answer to choose, and the step at which a run contradicts whoever chose it.
struct QuizChoice {
  std::string text;
  StepRole role = StepRole::kBackward;  // the step is the nth one of this role, or the last one if there are fewer
  int nth = 1;
  std::string_view why_not = "";  // what happens there instead
};

// NOTE [The run gives the answer]
// A question knows its choices, and how to read off a finished run which of them it shows; it does not know which one
// is right. Numbers among the choices come from a run too: one made beforehand, of which nothing is printed.
struct QuizQuestion {
  const Scenario* scenario;
  std::string_view source;  // "self-check 4", or "" for a question that the chapter does not ask
  std::string_view text;
  std::vector<QuizChoice> (*choices)(Lab& finished);
  std::string (*shown)(Lab& finished);  // the text of the choice that this run shows
  std::string_view because;             // why it is so, in a sentence or two
};

// A question ready to be asked.
struct AskedQuestion {
  const QuizQuestion* question;
  std::vector<QuizChoice> choices;  // different texts, in the order of their letters
};
AskedQuestion prepare(const QuizQuestion& question, std::span<const Setting> settings, Device device);

// "a" for the first choice.
std::string letter(std::size_t choice);

// The choice that an answer names: by its letter, with or without a bracket, or by its text; a number by its value.
// Nothing when it names none.
std::optional<std::size_t> choice_of(const AskedQuestion& asked, std::string_view answer);

struct QuizResult {
  Report report;                                     // of the run made after the answer
  std::size_t right = 0;                             // the choice that it shows
  std::optional<StepRecord> parting = std::nullopt;  // where a wrong choice and the run part
};
// Runs the experiment for real. `chosen`: nothing for a question left out. Throws std::logic_error when the run shows
// none of the choices.
QuizResult answer(const AskedQuestion& asked, std::optional<std::size_t> chosen, std::span<const Setting> settings,
                  Device device);

}  // namespace gradlab
