// gradlab quiz [NAME...]: asks what an experiment will do, then runs it.
#include "src/lab/quiz.h"

#include <fmt/format.h>

#include <algorithm>
#include <istream>
#include <ostream>
#include <sstream>

#include "scenarios/quiz_questions.h"
#include "src/cli/command.h"
#include "src/cli/files.h"
#include "src/cli/runner.h"
#include "src/cli/text_layout.h"
#include "src/lab/render.h"
#include "src/lab/trace_text.h"
#include "src/lab/usage_error.h"

namespace gradlab {
namespace {

struct QuizOptions {
  std::vector<std::string> names;
  std::string answers;  // a file; empty: the standard input
  std::string save;
  std::string device = "cpu";
};

QuizOptions read_quiz_options(const Arguments& arguments) {
  QuizOptions options;
  CommandParser parser(
      "quiz",
      "Asks what an experiment will do (all of them in turn unless named), runs it, and says at which\n"
      "step a wrong guess and the run part. An answer is a letter, or the text of a choice; an empty\n"
      "line or - leaves a question out. Nothing is stored unless --save is given.",
      "  gradlab quiz\n"
      "  gradlab quiz save-unsafe\n"
      "  gradlab quiz --save answers.txt\n"
      "  gradlab quiz --answers answers.txt      a line for each question; # begins a comment\n"
      "  printf 'c\\nb\\n' | gradlab quiz 03");
  parser.add_option("NAME", options.names, "Experiments and scripts, as `gradlab list` names them")->type_name("");
  parser.add_option("--answers", options.answers, "Read the answers from FILE")->type_name("FILE");
  parser
      .add_option("--save", options.save, "Write the answers given, if any, to FILE, in the form that --answers reads")
      ->type_name("FILE");
  add_device_option(parser, options.device);
  parser.read(arguments);
  return options;
}

std::vector<const QuizQuestion*> questions_of(const std::vector<std::string>& names) {
  std::vector<const QuizQuestion*> questions;
  const auto add = [&](const QuizQuestion& question) {
    if (std::ranges::find(questions, &question) == questions.end()) questions.push_back(&question);
  };
  for (const std::string& name : names) {
    for (const Scenario* scenario : scenarios_of(name)) {
      if (const QuizQuestion* question = find_quiz_question(scenario->name)) add(*question);
    }
  }
  if (names.empty()) std::ranges::for_each(all_quiz_questions(), add);
  return questions;
}

// One line of the input without its comment; lines that are only a comment are passed over. Nothing at the end.
std::optional<std::string> next_line(std::istream& in) {
  for (std::string line; std::getline(in, line);) {
    const std::size_t comment = line.find('#');
    line.resize(std::min(comment, line.size()));
    while (!line.empty() && (line.back() == ' ' || line.back() == '\t' || line.back() == '\r')) line.pop_back();
    if (comment != std::string::npos && line.empty()) continue;
    return line;
  }
  return std::nullopt;
}

class Quiz {
 public:
  Quiz(Input in, std::ostream& out, Device device) : in_(in), out_(out), device_(device) {}

  // Stops early when the input or the output ends.
  void ask_all(std::span<const QuizQuestion* const> questions) {
    out_ << filled("Answer with a letter or with the text of a choice; an empty line leaves a question out.", "", 0)
         << "\n";
    for (const QuizQuestion* question : questions) {
      if (!out_ || !ask(*question, questions.size())) break;
    }
    score_ = score(questions.size());
    out_ << fmt::format("Score: {}.\n", score_);
  }

  bool has_answers() const { return asked_ > left_out_; }

  // What --answers reads.
  std::string saved() const { return fmt::format("# gradlab quiz: {}\n{}", score_, saved_); }

 private:
  std::string score(std::size_t question_count) const {
    const std::size_t not_asked = question_count - asked_;
    std::string text = fmt::format("{} of {} right", right_, question_count);
    if (left_out_ > 0) text += fmt::format(", {} left out", left_out_);
    if (not_asked > 0) text += fmt::format(", {} not answered: the input ended", not_asked);
    return text;
  }

  // False when the input has ended.
  bool ask(const QuizQuestion& question, std::size_t of) {
    const AskedQuestion asked = prepare(question, {}, device_);
    out_ << question_text(asked, of);
    std::optional<std::size_t> chosen;
    if (!read_answer(asked, chosen)) return false;
    const QuizResult result = answer(asked, chosen, {}, device_);
    ++asked_;
    right_ += chosen == result.right ? 1 : 0;
    left_out_ += chosen ? 0 : 1;
    saved_ += fmt::format("{}  # {}: {}\n", chosen ? letter(*chosen) : "-", question.scenario->name,
                          chosen ? asked.choices[*chosen].text : "left out");
    out_ << "\nIt prints:\n" << indented(render_text(result.report)) << "\n" << verdict(asked, chosen, result) << "\n";
    return true;
  }

  std::string question_text(const AskedQuestion& asked, std::size_t of) const {
    const QuizQuestion& question = *asked.question;
    const Lab lab(*question.scenario, {}, device_);
    std::string text = fmt::format("Question {} of {}: {}, section {}{}{}\n", asked_ + 1, of, question.scenario->name,
                                   question.scenario->section, question.source.empty() ? "" : ", ", question.source);
    text += filled(question.text, "  ", 2) + "\n";
    for (const Step& step : lab.steps()) {
      if (step.role != StepRole::kObserve) text += fmt::format("  {:>3}  {}\n", step.number, step.code.text);
    }
    std::string parameters;
    for (const Parameter& parameter : lab.report().parameters) {
      if (parameter.kind == ParameterKind::kCount || parameter.kind == ParameterKind::kWord) continue;
      const std::string_view name =
          parameter.kind == ParameterKind::kValues ? "values" : std::string_view(parameter.name);
      parameters += fmt::format("{}{} = {}", parameters.empty() ? "       with " : "; ", name, parameter.text);
    }
    text += parameters + "\n\n";
    for (std::size_t i = 0; i < asked.choices.size(); ++i) {
      text += filled(asked.choices[i].text, fmt::format("  {}) ", letter(i)), 5);
    }
    return text;
  }

  // False when the input has ended. `chosen` stays empty when the question is left out.
  bool read_answer(const AskedQuestion& asked, std::optional<std::size_t>& chosen) {
    const std::string range = fmt::format("a-{}", letter(asked.choices.size() - 1));
    while (true) {
      out_ << fmt::format("Your answer ({}): ", range) << std::flush;
      const std::optional<std::string> line = next_line(in_.stream);
      if (!in_.is_terminal) out_ << line.value_or("");  // what somebody would have typed
      if (!in_.is_terminal || !line) out_ << "\n";
      if (!line) {
        out_ << "\n";
        return false;
      }
      if (line->empty() || *line == "-") return true;
      chosen = choice_of(asked, *line);
      if (chosen) return true;
      out_ << fmt::format("'{}' is none of the choices: a letter ({}) or the text of one is.\n", *line, range);
      if (!in_.is_terminal) return true;  // the next line answers the next question
    }
  }

  static std::string verdict(const AskedQuestion& asked, std::optional<std::size_t> chosen, const QuizResult& result) {
    const std::string right = fmt::format("{}) {}", letter(result.right), asked.choices[result.right].text);
    const std::string_view because = asked.question->because;
    if (!chosen) return filled(fmt::format("The run shows {}.", right), "", 0) + filled(because, "  ", 2);
    if (*chosen == result.right) return filled(fmt::format("Right: {}.", right), "", 0) + filled(because, "  ", 2);
    std::string text = filled(fmt::format("Not so: the run shows {}.", right), "", 0);
    if (result.parting) {
      text += filled(fmt::format("Your guess and the run part at step {}, {}: {}.", result.parting->number,
                                 result.parting->code, asked.choices[*chosen].why_not),
                     "  ", 2);
    }
    return text + filled(because, "  ", 2);
  }

  Input in_;
  std::ostream& out_;
  Device device_;
  std::size_t asked_ = 0;
  std::size_t right_ = 0;
  std::size_t left_out_ = 0;
  std::string score_;  // once all is asked
  std::string saved_;
};

}  // namespace

CommandResult quiz_command(const Arguments& arguments, Input in, std::ostream& out) {
  const QuizOptions options = read_quiz_options(arguments);
  const std::vector<const QuizQuestion*> questions = questions_of(options.names);
  const Device device = parse_device(options.device);
  std::istringstream file;
  if (!options.answers.empty()) file.str(read_file(options.answers));
  if (!options.save.empty()) check_writable(options.save);
  Quiz quiz(options.answers.empty() ? in : Input{file}, out, device);
  quiz.ask_all(questions);
  if (options.save.empty()) return {};
  if (!quiz.has_answers()) return {.out = fmt::format("No question was answered: {} is not written.\n", options.save)};
  write_file(options.save, quiz.saved());
  return {};
}

}  // namespace gradlab
