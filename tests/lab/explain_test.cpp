#include "src/lab/explain.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <sstream>

#include "scenarios/catalogue.h"
#include "src/lab/content.h"
#include "src/lab/findings.h"
#include "src/lab/lab.h"
#include "src/lab/record.h"
#include "src/lab/recorder.h"
#include "src/lab/render.h"
#include "tests/text.h"
#include "src/lab/trace_json.h"

using namespace gradlab;

namespace {

trace::Trace recorded(const Scenario& scenario) { return record_trace(scenario, {}, Device::kCpu, "test"); }

// The gradients of the experiment without its writes, as the trace writes contents.
std::map<std::string, trace::Content> gradients_without_writes(const Scenario& scenario) {
  Lab lab(scenario, {});
  std::map<std::string, trace::Content> gradients;
  for (const Lab::NamedTensor& slot : lab.without_writes().named_tensors()) {
    if (slot.tensor.is_leaf() && slot.tensor.grad().defined()) gradients[slot.name] = content_of(slot.tensor.grad());
  }
  return gradients;
}

// Runs the experiment's steps, observations and all, under a recorder.
Report observed_report(const Scenario& scenario) {
  Lab lab(scenario, {});
  Recorder recorder(trace::RunKind::kAsWritten);
  for (const Step& step : lab.steps()) {
    if (step.role == StepRole::kObserve) {
      lab.run_step(step);
      continue;
    }
    recorder.begin_step(step);
    {
      const ObserverGuard observed(&recorder);
      lab.run_step(step);
    }
    recorder.end_step({}, lab.error());
  }
  return lab.report();
}

struct Marked {
  int saved;
  std::vector<int> written;
  int read;
};

// ---- experiments that only a test needs ----

// The multiplication saves `part`, and the write goes past it.
void list_part(Lab& lab) {
  const TensorOptions& requires_grad = lab.requires_grad();
  Tensor& x = lab.named("x");
  Tensor& whole = lab.named("whole");
  Tensor& part = lab.named("part");
  Tensor& y = lab.named("y");
  lab.setup(CODE(x = ones({1}, requires_grad)));
  lab.setup(CODE(whole = ones({2})));
  lab.setup(CODE(part = whole.narrow(0, 1, 1)));
  lab.forward(CODE(y = x * part));
  lab.write(CODE(whole[0] = 30));
  lab.backward(CODE(y.sum().backward()));
}

void list_unsaved(Lab& lab) {
  const TensorOptions& requires_grad = lab.requires_grad();
  Tensor& x = lab.named("x");
  Tensor& y = lab.named("y");
  lab.setup(CODE(x = ones({2}, requires_grad)));
  lab.forward(CODE(y = x + 1));
  lab.write(CODE(y.mul_(10)));
  lab.backward(CODE(y.sum().backward()));
}

void list_nan(Lab& lab) {
  const TensorOptions& requires_grad = lab.requires_grad();
  Tensor& x = lab.named("x");
  Tensor& y = lab.named("y");
  lab.setup(CODE(x = tensor({std::nan(""), -0.0}, requires_grad)));
  lab.forward(CODE(y = x * x));
  lab.backward(CODE(y.sum().backward()));
}

constexpr Scenario made(std::string_view name, void (*list_steps)(Lab&)) {
  return {.name = name,
          .section = "0",
          .mistake = Mistake::kNone,
          .shows = "",
          .question = "",
          .parameters = {},
          .functions = {},
          .list_steps = list_steps};
}

constexpr Scenario kPart = made("part", list_part);
constexpr Scenario kUnsaved = made("unsaved", list_unsaved);
constexpr Scenario kNan = made("nan", list_nan);

bool has_ghost_write(const trace::Run& run) {
  return std::ranges::any_of(run.events,
                             [](const trace::Event& event) { return trace::as<trace::GhostWrite>(event) != nullptr; });
}

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("explain names the steps that saved, wrote and read") {
  const std::map<std::string_view, Marked> expected = {
      {"save-safe", {2, {3}, 4}},           {"save-unsafe", {2, {3}, 4}}, {"kernel-overwrite", {2, {3}, 4}},
      {"kernel-confesses", {2, {3, 4}, 5}}, {"data-write", {2, {3}, 4}},  {"detach-write", {2, {3}, 4}},
      {"view-write", {2, {3}, 4}}};
  for (const Scenario* scenario : all_scenarios()) {
    CAPTURE(scenario->name);
    const std::optional<StaleRead> stale = first_stale_read(recorded(*scenario).runs.front());
    const auto marked = expected.find(scenario->name);
    REQUIRE(stale.has_value() == (marked != expected.end()));
    if (!stale) continue;
    CHECK(stale->is_changed);
    CHECK(stale->saved_step == marked->second.saved);
    CHECK(stale->written_steps == marked->second.written);
    CHECK(stale->read_step == marked->second.read);
  }
}

TEST_CASE("the gradient of the frozen run is that of the run without the write, to the last bit") {
  for (const Scenario* scenario : all_scenarios()) {
    CAPTURE(scenario->name);
    const trace::Trace trace = recorded(*scenario);
    const trace::Run* frozen = find_run(trace, trace::RunKind::kFrozen);
    REQUIRE(frozen != nullptr);
    CHECK(gradients(*frozen) == gradients_without_writes(*scenario));
  }
}

TEST_CASE("a private copy repairs every experiment, and telling autograd makes a silent one loud") {
  for (const Scenario* scenario : all_scenarios()) {
    const trace::Trace trace = recorded(*scenario);
    for (const trace::Run& run : trace.runs) {
      if (run.kind != trace::RunKind::kRepair) continue;
      CAPTURE(scenario->name);
      CAPTURE(run.title);
      const bool is_loud = run.title.starts_with("increment_version") || run.title == "ctx.save_for_backward(x2)";
      CHECK(verdict_on(run, nullptr) == (is_loud ? Verdict::kLoud : Verdict::kRight));
    }
  }
}

TEST_CASE("an experiment prints the same with and without an observer") {
  for (const Scenario* scenario : all_scenarios()) {
    CAPTURE(scenario->name);
    CHECK(render_text(observed_report(*scenario)) == render_text(run_scenario(*scenario, {})));
  }
}

TEST_CASE("nothing is stale when a copy was saved") {
  const std::string text = explain_text(recorded(*find_scenario("save-clone")));
  CHECK(text.starts_with("save-clone: RIGHT\n"));
  CHECK(contains(text,
                 "Nothing is stale: what backward read had not changed since it was saved.\n"
                 "  Step 3 wrote x: no node had saved it.\n"));
}

TEST_CASE("nothing is stale when a part was written that nobody saved, though PyTorch refuses it") {
  const trace::Trace trace = recorded(kPart);
  const std::optional<StaleRead> stale = first_stale_read(trace.runs.front());
  REQUIRE(stale.has_value());
  CHECK(stale->is_refused);
  CHECK_FALSE(stale->is_changed);
  const std::string text = explain_text(trace);
  CHECK(text.starts_with("part: LOUD ERROR\n"));
  CHECK(contains(text, "Nothing is stale: what backward read had not changed since it was saved.\n"));
  CHECK(contains(text, "the version counts a write anywhere in this\n    memory, whatever it changed.\n"));
  CHECK_FALSE(contains(text, "> WRITTEN"));
}

TEST_CASE("nothing is stale when a result was written that nobody saved") {
  const std::string text = explain_text(recorded(kUnsaved));
  CHECK(text.starts_with("unsaved: RIGHT\n"));
  CHECK(contains(text, "Nothing is stale: backward read no saved tensor.\n  Step 3 wrote y: no node had saved it.\n"));
}

TEST_CASE("nan is no ghost write") {
  const trace::Trace trace = recorded(kNan);
  CHECK_FALSE(has_ghost_write(trace.runs.front()));
  CHECK(explain_text(trace).starts_with("nan: RIGHT\n"));
}

TEST_CASE("a write that changes nothing leaves the gradient right and is called harmless") {
  const Setting factor[] = {{"factor", "1"}};
  const trace::Trace trace = record_trace(*find_scenario("save-unsafe"), factor, Device::kCpu, "test");
  CHECK(explain_text(trace).starts_with("save-unsafe: RIGHT\n"));
  CHECK(trace.runs.size() == 2);
}

TEST_CASE("a trace read from its JSON lines is the same trace and is explained in the same words") {
  for (const Scenario* scenario : all_scenarios()) {
    CAPTURE(scenario->name);
    const trace::Trace live = recorded(*scenario);
    const std::string lines = trace_to_json_lines(live);
    const trace::Trace read = trace_from_json_lines(lines, "FILE");
    CHECK(read == live);
    CHECK(trace_to_json_lines(read) == lines);
    CHECK(explain_text(read) == explain_text(live));
    CHECK(trace_to_json_lines(recorded(*scenario)) == lines);
  }
}

TEST_CASE("an explanation fits 80 columns, and colour adds nothing but colour") {
  for (const Scenario* scenario : all_scenarios()) {
    CAPTURE(scenario->name);
    const trace::Trace trace = recorded(*scenario);
    const std::string plain = explain_text(trace);
    test::check_fits_80_columns(plain);
    std::string stripped;
    const std::string colored = explain_text(trace, true);
    for (std::size_t i = 0; i < colored.size(); ++i) {
      if (colored[i] == '\x1b') {
        i = colored.find('m', i);
      } else {
        stripped += colored[i];
      }
    }
    CHECK(stripped == plain);
    CHECK(colored != plain);
  }
}

TEST_CASE("an explanation takes less than 20 ms") {
  for (const Scenario* scenario : all_scenarios()) {
    auto best = std::chrono::steady_clock::duration::max();
    for (int i = 0; i < 5; ++i) {
      const auto start = std::chrono::steady_clock::now();
      explain_text(recorded(*scenario));
      best = std::min(best, std::chrono::steady_clock::now() - start);
    }
    CHECK_MESSAGE(best < std::chrono::milliseconds(20), scenario->name);
  }
}

TEST_CASE("a trace without the frozen run or with repairs out of nowhere is explained all the same") {
  trace::Trace trace = recorded(*find_scenario("save-unsafe"));
  std::erase_if(trace.runs, [](const trace::Run& run) { return run.kind == trace::RunKind::kFrozen; });
  CHECK(explain_text(trace).starts_with("save-unsafe: STALE READ\nStep 4 read x2, which had changed since step 2 saved it."));
  trace.runs.front().events.clear();
  CHECK(contains(explain_text(trace), "save-unsafe: NO GRADIENT\n"));
  trace.runs.front().steps.clear();
  CHECK(contains(explain_text(trace), "save-unsafe: NO GRADIENT\n"));
}
