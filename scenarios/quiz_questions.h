// What `gradlab quiz` asks: a question about each experiment, the chapter's self-check questions among them.
#pragma once

#include <span>
#include <string_view>

#include "src/lab/quiz.h"

namespace gradlab {

// In the order of `gradlab list`.
std::span<const QuizQuestion> all_quiz_questions();

// Null when the experiment of this name has none.
const QuizQuestion* find_quiz_question(std::string_view scenario);

}  // namespace gradlab
