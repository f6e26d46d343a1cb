#include "src/lab/quiz.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "scenarios/catalogue.h"
#include "scenarios/quiz_questions.h"

using namespace gradlab;

namespace {

std::string right_text(std::string_view scenario, std::vector<Setting> settings = {}) {
  const AskedQuestion asked = prepare(*find_quiz_question(scenario), settings, Device::kCpu);
  return asked.choices[answer(asked, std::nullopt, settings, Device::kCpu).right].text;
}

}  // namespace

TEST_CASE("every experiment has a question, and the chapter's five are among them") {
  REQUIRE(all_quiz_questions().size() == all_scenarios().size());
  for (std::size_t i = 0; i < all_scenarios().size(); ++i) {
    CHECK(all_quiz_questions()[i].scenario == all_scenarios()[i]);
  }
  for (const char* source : {"self-check 1", "self-check 2", "self-check 3", "self-check 4", "self-check 5"}) {
    CHECK(std::ranges::count(all_quiz_questions(), source, &QuizQuestion::source) >= 1);
  }
  CHECK(find_quiz_question("nothing") == nullptr);
}

TEST_CASE("the right choice is the one that the run shows, whatever the values") {
  CHECK(right_text("save-unsafe") == "60");
  CHECK(right_text("save-unsafe", {{"x", "5"}, {"factor", "2"}}) == "20");
  CHECK(right_text("save-unsafe", {{"x", "1,2"}}) == "tensor([20., 40.])");
  CHECK(right_text("save-clone", {{"x", "-4"}}) == "-8");
  CHECK(right_text("kernel-overwrite", {{"factor", "0"}}) == "0");
  CHECK(right_text("save-safe") == "an error");
  CHECK(right_text("detach-write") == "an error");
  CHECK(right_text("data-write", {{"x", "0"}}) == "0");
  CHECK(right_text("view-write", {{"value", "7"}}) == "an error");
}

TEST_CASE("every wrong choice parts from the run at a step, and is told what happens there") {
  for (const QuizQuestion& question : all_quiz_questions()) {
    CAPTURE(question.scenario->name);
    const AskedQuestion asked = prepare(question, {}, Device::kCpu);
    CHECK(asked.choices.size() >= 3);
    const std::size_t right = answer(asked, std::nullopt, {}, Device::kCpu).right;
    for (std::size_t i = 0; i < asked.choices.size(); ++i) {
      const QuizResult result = answer(asked, i, {}, Device::kCpu);
      CHECK(result.right == right);
      CHECK(result.parting.has_value() == (i != right));
      CHECK(asked.choices[i].why_not.empty() == (i == right));
    }
  }
}

TEST_CASE("a guess parts from the run where it is contradicted") {
  const AskedQuestion asked = prepare(*find_quiz_question("save-safe"), {}, Device::kCpu);
  const auto parting = [&](std::string_view text) {
    return answer(asked, choice_of(asked, text), {}, Device::kCpu).parting.value().number;
  };
  CHECK(parting("6") == 2);   // x was not copied
  CHECK(parting("60") == 4);  // nor handed over unchecked
  CHECK_FALSE(answer(asked, choice_of(asked, "an error"), {}, Device::kCpu).parting.has_value());
}

TEST_CASE("choices that come out the same are one") {
  const std::vector<Setting> settings = {{"factor", "1"}};
  CHECK(prepare(*find_quiz_question("save-unsafe"), settings, Device::kCpu).choices.size() == 3);
}

TEST_CASE("an answer is a letter, a text or a number, in any case") {
  const AskedQuestion asked = prepare(*find_quiz_question("save-unsafe"), {}, Device::kCpu);
  CHECK(asked.choices[2].text == "60");
  for (const char* answer : {"c", "C", "c)", " c ", "60", "60.0", "6e1"}) CHECK(choice_of(asked, answer) == 2);
  for (const char* answer : {"AN ERROR", "an  error", "a"}) CHECK(choice_of(asked, answer) == 0);
  for (const char* answer : {"", "e", "61", "error!", "cc"}) CHECK(choice_of(asked, answer) == std::nullopt);
}
