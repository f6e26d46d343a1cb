#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "scenarios/quiz_questions.h"
#include "tests/cli/run_gradlab.h"
#include "tests/files.h"

using namespace gradlab;
using test::CliRun;
using test::read_file;
using test::run_gradlab;
using test::run_gradlab_on;
using test::TemporaryFile;
using test::TemporaryPath;

namespace {

namespace fs = std::filesystem;

const std::size_t kCount = all_quiz_questions().size();

// An answer for each question: the right one, or the first of the wrong ones.
std::string answers(bool are_right) {
  std::string lines;
  for (const QuizQuestion& question : all_quiz_questions()) {
    const AskedQuestion asked = prepare(question, {}, Device::kCpu);
    const std::size_t right = answer(asked, std::nullopt, {}, Device::kCpu).right;
    lines += letter(are_right ? right : right == 0 ? 1 : 0) + "\n";
  }
  return lines;
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

std::string score(std::size_t right, const std::string& rest = "") {
  return "Score: " + std::to_string(right) + " of " + std::to_string(kCount) + " right" + rest + ".\n";
}

}  // namespace

TEST_CASE("all right answers make a full score") {
  const CliRun run = run_gradlab_on(answers(true), {"quiz"});
  CHECK(run.status == kExitReproduced);
  CHECK(run.err.empty());
  CHECK(run.out.ends_with(score(kCount)));
  CHECK(count(run.out, "\nRight: ") == kCount);
}

TEST_CASE("each wrong answer is told where it and the run part") {
  const CliRun run = run_gradlab_on(answers(false), {"quiz"});
  CHECK(run.status == kExitReproduced);
  CHECK(run.out.ends_with(score(0)));
  CHECK(count(run.out, "\nNot so: ") == kCount);
  CHECK(count(run.out, "Your guess and the run part at step ") == kCount);
}

TEST_CASE("one question: asked, answered, run, judged") {
  CHECK(run_gradlab_on("6\n", {"quiz", "save-unsafe"}).out ==
        "Answer with a letter or with the text of a choice; an empty line leaves a\n"
        "question out.\n"
        "\n"
        "Question 1 of 1: save-unsafe, section 15.3.2, self-check 4\n"
        "  UnsafeSquare keeps x2 as ctx.x; then x2 is multiplied in place. What is\n"
        "  x2.grad after backward?\n"
        "\n"
        "    1  x2 = tensor(values, requires_grad)\n"
        "    2  y2 = UnsafeSquare::apply(x2)\n"
        "    3  with torch.no_grad(): x2.mul_(factor)\n"
        "    4  y2.sum().backward()\n"
        "       with values = 3; factor = 10\n"
        "\n"
        "  a) an error\n"
        "  b) 6\n"
        "  c) 60\n"
        "  d) None, and no error\n"
        "Your answer (a-d): 6\n"
        "\n"
        "It prints:\n"
        "  backward succeeded silently, x2.grad: tensor([60.])\n"
        "  (correct gradient at x=3 would be 2*3=6.0 -- this used the MUTATED x=30 instead, giving 2*30=60.0)\n"
        "\n"
        "Not so: the run shows c) 60.\n"
        "  Your guess and the run part at step 2, y2 = UnsafeSquare::apply(x2): ctx.x is\n"
        "  the same tensor, not a copy.\n"
        "  ctx.x is a plain reference: backward takes whatever x2 holds by then.\n"
        "\n"
        "Score: 0 of 1 right.\n");
}

TEST_CASE("nothing is printed of an experiment before its question is answered") {
  const std::string out = run_gradlab_on("", {"quiz", "save-unsafe"}).out;
  CHECK(out.find("backward succeeded") == std::string::npos);
}

TEST_CASE("the end of the input ends the quiz politely") {
  const std::string rest = ", " + std::to_string(kCount) + " not answered: the input ended";
  for (const CliRun& run :
       {run_gradlab({"quiz"}), run_gradlab_on("", {"quiz"}), run_gradlab_on("# nothing\n", {"quiz"})}) {
    CHECK(run.status == kExitReproduced);
    CHECK(run.err.empty());
    CHECK(run.out.ends_with("Your answer (a-d): \n\n" + score(0, rest)));
  }
  const CliRun two = run_gradlab_on("c\nc", {"quiz"});
  CHECK(two.out.ends_with(score(2, ", " + std::to_string(kCount - 2) + " not answered: the input ended")));
}

TEST_CASE("an answer that is no choice leaves a question out where nobody can be asked again") {
  const CliRun run = run_gradlab_on("what?\nc\n", {"quiz", "03"});
  CHECK(run.status == kExitReproduced);
  CHECK(run.out.find("'what?' is none of the choices: a letter (a-d) or the text of one is.\n") != std::string::npos);
  CHECK(run.out.find("The run shows c) an error.\n") != std::string::npos);
  CHECK(run.out.ends_with("Score: 1 of 2 right, 1 left out.\n"));
}

TEST_CASE("on a terminal the question is asked again") {
  const CliRun run = run_gradlab_on("what?\n61\nc\n", {"quiz", "save-unsafe"}, true);
  CHECK(count(run.out, "Your answer (a-d): ") == 3);
  CHECK(run.out.ends_with("Score: 1 of 1 right.\n"));
}

TEST_CASE("an empty line or - leaves a question out, a comment does not count") {
  const CliRun run = run_gradlab_on("# my answers\n\n-  # later\n", {"quiz", "03"});
  CHECK(run.out.ends_with("Score: 0 of 2 right, 2 left out.\n"));
}

TEST_CASE("answers are saved only when asked, in the form that --answers reads") {
  const TemporaryPath saved;
  const CliRun first = run_gradlab_on("b\n\n", {"quiz", "03", "--save", saved.string()});
  CHECK(read_file(saved.string()) ==
        "# gradlab quiz: 0 of 2 right, 1 left out\n"
        "b  # save-safe: 60\n"
        "-  # save-unsafe: left out\n");
  const CliRun second = run_gradlab({"quiz", "03", "--answers", saved.string()});
  CHECK(second.status == kExitReproduced);
  CHECK(second.out.ends_with("Score: 0 of 2 right, 1 left out.\n"));
}

TEST_CASE("a file that answers cannot be saved to is refused before the first question") {
  const CliRun failed = run_gradlab_on("b\n", {"quiz", "save-safe", "--save", "/nowhere/a"});
  CHECK(failed.status == kExitEnvironment);
  CHECK(failed.out.empty());
  CHECK(failed.err == "gradlab: /nowhere/a could not be written: No such file or directory\n");
  const std::string folder = fs::temp_directory_path().string();
  const CliRun is_folder = run_gradlab_on("b\n", {"quiz", "save-safe", "--save", folder});
  CHECK(is_folder.status == kExitEnvironment);
  CHECK(is_folder.out.empty());
  CHECK(is_folder.err == "gradlab: " + folder + " could not be written: Is a directory\n");
}

TEST_CASE("without an answer nothing is saved, and what was saved before stays") {
  const TemporaryFile before("# mine\n");
  const TemporaryPath none;
  for (const char* input : {"", "\n-\n"}) {
    const CliRun run = run_gradlab_on(input, {"quiz", "03", "--save", before.string()});
    CHECK(run.status == kExitReproduced);
    CHECK(run.out.ends_with("No question was answered: " + before.string() + " is not written.\n"));
    CHECK(read_file(before.string()) == "# mine\n");
    run_gradlab_on(input, {"quiz", "03", "--save", none.string()});
    CHECK_FALSE(fs::exists(none.string()));
  }
  run_gradlab_on("a\n", {"quiz", "/nowhere", "--save", before.string()});
  CHECK(read_file(before.string()) == "# mine\n");
}

TEST_CASE("the file's score is the screen's when the input ends") {
  const TemporaryPath saved;
  const CliRun run = run_gradlab_on("c\n", {"quiz", "--save", saved.string()});
  const std::string rest = ", " + std::to_string(kCount - 1) + " not answered: the input ended";
  const std::string all = std::to_string(kCount);
  const std::string file = read_file(saved.string());
  CHECK(run.out.ends_with(score(1, rest)));
  CHECK(file.starts_with("# gradlab quiz: 1 of " + all + " right" + rest + "\nc  # "));
}

TEST_CASE("what quiz cannot take is a usage error") {
  CHECK(run_gradlab({"quiz", "save-saef"})
            .err.starts_with("gradlab: there is no 'save-saef': did you mean 'save-safe'?"));
  CHECK(run_gradlab({"quiz", "--answers", "/nowhere/a"}).err ==
        "gradlab: /nowhere/a cannot be read: No such file or directory\n");
  CHECK(run_gradlab({"quiz", "--answers", "/nowhere/a"}).status == kExitUsage);
  const std::string folder = fs::temp_directory_path().string();
  const CliRun run = run_gradlab({"quiz", "--answers", folder});
  CHECK(run.status == kExitUsage);
  CHECK(run.out.empty());
  CHECK(run.err == "gradlab: " + folder + " cannot be read: it is no file\n");
}
