#include "scenarios/quiz_questions.h"

#include <algorithm>

#include "scenarios/catalogue.h"
#include "src/lab/number_text.h"

namespace gradlab {
namespace {

using Choices = std::vector<QuizChoice>;

constexpr std::string_view kError = "an error";
constexpr std::string_view kNothing = "None, and no error";

// "60" or "tensor([6., 8.])".
std::string gradient_text(const Tensor& gradient) {
  if (!gradient.defined()) return std::string(kNothing);
  return gradient.numel() == 1 ? short_text(numbers_of(gradient)) : gradient.to_string();
}

bool raised(const Lab& lab) {
  return std::ranges::any_of(lab.report().steps, [](const StepRecord& step) { return step.error.has_value(); });
}

std::string outcome(Lab& finished, std::string_view leaf) {
  return raised(finished) ? std::string(kError) : gradient_text(finished.named(leaf).grad());
}
std::string outcome_for_x(Lab& finished) { return outcome(finished, "x"); }
std::string outcome_for_x2(Lab& finished) { return outcome(finished, "x2"); }
std::string outcome_for_a(Lab& finished) { return outcome(finished, "a"); }

std::string right_gradient(Lab& finished, std::string_view leaf) {
  return gradient_text(finished.without_writes().named(leaf).grad());
}

// What squaring gives when backward takes x as it is in the end.
std::string square_gradient_now(const Tensor& x) { return gradient_text(x.detach() * 2); }

// The same for a sigmoid whose result is y.
std::string sigmoid_gradient_now(const Tensor& y) { return gradient_text(y.detach() * (1 - y.detach())); }

// --- 15.1.1

constexpr std::string_view kDerivative = "x.grad becomes GELU's derivative";

Choices invisible_choices(Lab&) {
  return {{std::string(kDerivative), StepRole::kForward, 1, "the kernel got pointers and left no grad_fn at y"},
          {"x.grad becomes zeros", StepRole::kBackward, 1, "backward does not start: y has no grad_fn"},
          {std::string(kError)},
          {std::string(kNothing), StepRole::kBackward, 1, "backward does not pass over this in silence"}};
}

std::string invisible_shown(Lab& finished) {
  if (raised(finished)) return std::string(kError);
  const Tensor gradient = finished.named("x").grad();
  if (!gradient.defined()) return std::string(kNothing);
  return equal(gradient, zeros_like(gradient)) ? "x.grad becomes zeros" : std::string(kDerivative);
}

// --- 15.2.1

std::string labelled(std::string_view label, const Tensor& tensor) {
  return std::string(label) + (tensor.defined() ? tensor.detach().to_string() : "None");
}

constexpr std::string_view kItsResult = "forward's result again: ";
constexpr std::string_view kItsInput = "the gradient that it was given, dL/dy: ";
constexpr std::string_view kItsProduct = "dL/dy times GELU's derivative, dL/dx: ";

Choices function_choices(Lab& finished) {
  const Tensor& y = finished.named("y");
  return {{labelled(kItsResult, y), StepRole::kForward, 1, "computing y was forward's part, and it is done"},
          {labelled(kItsInput, ones_like(y)), StepRole::kBackward, 1, "dL/dy is what backward starts from"},
          {labelled(kItsProduct, finished.named("x2").grad())},
          {labelled("", Tensor()), StepRole::kBackward, 1, "backward returns one gradient for each input"}};
}

std::string function_shown(Lab& finished) {
  const Tensor& y = finished.named("y");
  const Tensor x_grad = finished.named("x").grad();
  const Tensor product = finished.named("x2").grad();
  if (!x_grad.defined()) return "None";
  if (equal(x_grad, y.detach())) return labelled(kItsResult, y);
  if (equal(x_grad, ones_like(y))) return labelled(kItsInput, x_grad);
  return allclose(x_grad, product, 1e-5, 1e-5, true) ? labelled(kItsProduct, product) : labelled("", x_grad);
}

// --- 15.3

Choices save_safe_choices(Lab& finished) {
  return {{right_gradient(finished, "x"), StepRole::kForward, 1, "x is kept by reference, not copied"},
          {square_gradient_now(finished.named("x")), StepRole::kBackward, 1,
           "before x is handed to backward, its version is compared: it moved"},
          {std::string(kError)},
          {std::string(kNothing), StepRole::kBackward, 1, "a saved tensor that was written is refused aloud"}};
}

Choices save_unsafe_choices(Lab& finished) {
  return {{std::string(kError), StepRole::kBackward, 1, "an attribute of ctx is handed over without a check"},
          {right_gradient(finished, "x2"), StepRole::kForward, 1, "ctx.x is the same tensor, not a copy"},
          {square_gradient_now(finished.named("x2"))},
          {std::string(kNothing), StepRole::kBackward, 1, "backward has all that it asks for"}};
}

// --- traps of 15.1 and 15.2

struct Count {
  std::ptrdiff_t count;
  std::string_view text;
};
constexpr Count kCounts[] = {{5, "all five: x requires grad"},
                             {4, "four: all but the one under no_grad"},
                             {3, "three: all but those under no_grad and after detach"},
                             {2, "two: only those made by what autograd watches"}};

Choices what_records_choices(Lab&) {
  return {{std::string(kCounts[0].text), StepRole::kForward, 1, "under no_grad nothing is recorded"},
          {std::string(kCounts[1].text), StepRole::kForward, 4, "a raw kernel is nothing that autograd watches"},
          {std::string(kCounts[2].text), StepRole::kForward, 4, "a raw kernel is nothing that autograd watches"},
          {std::string(kCounts[3].text)}};
}

std::string what_records_shown(Lab& finished) {
  const std::string_view names[] = {"quiet", "doubled", "custom", "raw", "detached"};
  const auto count = std::ranges::count_if(names, [&](auto name) { return bool(finished.named(name).grad_fn()); });
  const auto found = std::ranges::find(kCounts, count, &Count::count);
  return found == std::end(kCounts) ? std::to_string(count) : std::string(found->text);
}

std::string values_and_node(bool are_right, bool has_node) {
  return std::string(are_right ? "the right values" : "wrong values") +
         (has_node ? " and a grad_fn" : " and no grad_fn");
}

Choices forward_directly_choices(Lab&) {
  return {{values_and_node(true, true), StepRole::kForward, 1, "only apply links a result to a node"},
          {values_and_node(true, false)},
          {values_and_node(false, false), StepRole::kForward, 1, "forward is what computes the values, apply or not"}};
}

std::string forward_directly_shown(Lab& finished) {
  const Tensor& y = finished.named("y");
  return values_and_node(equal(y, finished.named("z")), bool(y.grad_fn()));
}

// --- the further experiments

Choices kernel_overwrite_choices(Lab& finished) {
  return {{std::string(kError), StepRole::kWrite, 1, "the kernel writes through a pointer, which moves no version"},
          {square_gradient_now(finished.named("x"))},
          {right_gradient(finished, "x"), StepRole::kForward, 1, "x is kept by reference, not copied"},
          {std::string(kNothing), StepRole::kBackward, 1, "backward has all that it asks for"}};
}

Choices kernel_confesses_choices(Lab& finished) {
  return {
      {square_gradient_now(finished.named("x")), StepRole::kWrite, 2, "now the version moves, and is compared later"},
      {right_gradient(finished, "x"), StepRole::kForward, 1, "x is kept by reference, not copied"},
      {std::string(kError)}};
}

Choices data_write_choices(Lab& finished) {
  return {{right_gradient(finished, "a"), StepRole::kWrite, 1, ".data is the same memory, not a copy"},
          {std::string(kError), StepRole::kWrite, 1, ".data counts its writes for itself: y's version stays"},
          {sigmoid_gradient_now(finished.named("y"))},
          {std::string(kNothing), StepRole::kBackward, 1, "backward has all that it asks for"}};
}

Choices detach_write_choices(Lab& finished) {
  return {{std::string(kError)},
          {right_gradient(finished, "a"), StepRole::kWrite, 1, "detach() is the same memory, not a copy"},
          {sigmoid_gradient_now(finished.named("y")), StepRole::kWrite, 1,
           "detach() shares y's version counter: the write is counted"}};
}

Choices view_write_choices(Lab& finished) {
  return {{right_gradient(finished, "x"), StepRole::kForward, 1, "x is kept by reference, not copied"},
          {std::string(kError)},
          {square_gradient_now(finished.named("x")), StepRole::kWrite, 1,
           "the element and the whole share one version counter"}};
}

Choices save_clone_choices(Lab& finished) {
  return {{std::string(kError), StepRole::kWrite, 1, "the write moves x's version; the clone has one of its own"},
          {square_gradient_now(finished.named("x")), StepRole::kWrite, 1, "the write does not reach the clone"},
          {right_gradient(finished, "x")}};
}

constexpr std::string_view kWrongBefore = "the gradient: the arithmetic's was wrong";
constexpr std::string_view kOnlyCost = "only the cost: fewer launches, fewer bytes";
constexpr std::string_view kNoChange = "nothing: it takes as many launches";

Choices backward_kernel_choices(Lab&) {
  return {{std::string(kOnlyCost)},
          {std::string(kWrongBefore), StepRole::kBackward, 2, "the two gradients are equal to rounding"},
          {std::string(kNoChange), StepRole::kBackward, 2, "the arithmetic launches a kernel for each operation"}};
}

std::string backward_kernel_shown(Lab& finished) {
  if (!std::get<bool>(finished.observed("equal to rounding"))) return std::string(kWrongBefore);
  const Numbers& counted = std::get<Numbers>(finished.observed("counted"));
  return std::string(counted.values[1] < counted.values[0] ? kOnlyCost : kNoChange);
}

constinit const QuizQuestion kQuestions[] = {
    {&kInvisible, "", "x requires grad, and a raw kernel computes y from x's memory. What does y.sum().backward() do?",
     invisible_choices, invisible_shown,
     "The launch saw pointers and autograd saw nothing: y has no grad_fn, so there is nowhere to start."},
    {&kFunction, "self-check 2",
     "A Function has two methods. TritonGELU's forward launches the kernel and returns y. What does its backward "
     "return, "
     "to end in x.grad?",
     function_choices, function_shown,
     "forward computes the result; backward turns the gradient of that result into the gradients of the inputs."},
    {&kSaveSafe, "self-check 4",
     "SafeSquare keeps x by ctx.save_for_backward(x); then x is multiplied in place. What is x.grad after backward?",
     save_safe_choices, outcome_for_x,
     "save_for_backward notes x's version, the write moves it, and backward compares before it reads."},
    {&kSaveUnsafe, "self-check 4",
     "UnsafeSquare keeps x2 as ctx.x; then x2 is multiplied in place. What is x2.grad after backward?",
     save_unsafe_choices, outcome_for_x2, "ctx.x is a plain reference: backward takes whatever x2 holds by then."},
    {&kWhatRecords, "self-check 1",
     "x requires grad. From it are computed: x * 2, a Function's apply(x), a raw kernel on x, x.detach() * 2, and x * "
     "2 "
     "under no_grad. How many of the five have a grad_fn?",
     what_records_choices, what_records_shown,
     "What decides is who made the result: an operation or apply that autograd watches leaves a node, nothing else "
     "does."},
    {&kForwardDirectly, "self-check 3",
     "KernelGELU::forward(ctx, x) is called by hand, without apply. What comes back?", forward_directly_choices,
     forward_directly_shown,
     "forward computes the values; the node is made by apply, around it. Without apply it is a plain call."},
    {&kKernelOverwrite, "",
     "SafeSquare keeps x by save_for_backward; then a raw kernel multiplies x's memory. What is x.grad after backward?",
     kernel_overwrite_choices, outcome_for_x,
     "The version check compares counters, not contents, and nobody told the counter."},
    {&kKernelConfesses, "",
     "The same, but whoever launched the kernel then calls increment_version(x). What is x.grad after backward?",
     kernel_confesses_choices, outcome_for_x, "A launcher that reports its write gives the check what it needs."},
    {&kDataWrite, "", "sigmoid keeps its result y; then y.data.zero_() runs. What is a.grad after backward?",
     data_write_choices, outcome_for_a,
     ".data is a tensor on the same memory with a counter of its own: y's version never moves."},
    {&kDetachWrite, "", "sigmoid keeps its result y; then y.detach().zero_() runs. What is a.grad after backward?",
     detach_write_choices, outcome_for_a, "detach() shares y's version counter, so its writes are y's writes."},
    {&kViewWrite, "",
     "SafeSquare keeps x by save_for_backward; then one element is written: x[0] = value. What is x.grad after "
     "backward?",
     view_write_choices, outcome_for_x, "A view shares its base's counter: one written element makes the whole stale."},
    {&kSaveClone, "",
     "CloneSquare keeps x.clone() by save_for_backward; then x is multiplied in place. What is x.grad after backward?",
     save_clone_choices, outcome_for_x, "A private copy is out of the caller's reach; it costs its memory."},
    {&kBackwardKernel, "self-check 5",
     "TritonGELU's backward is ordinary tensor arithmetic, not a kernel. What does a kernel in its place change?",
     backward_kernel_choices, backward_kernel_shown,
     "Arithmetic in backward is no mistake: how a gradient is computed is free, as long as it is the right one."},
};

}  // namespace

std::span<const QuizQuestion> all_quiz_questions() { return kQuestions; }

const QuizQuestion* find_quiz_question(std::string_view scenario) {
  const auto found =
      std::ranges::find(kQuestions, scenario, [](const auto& question) { return question.scenario->name; });
  return found == std::end(kQuestions) ? nullptr : &*found;
}

}  // namespace gradlab
