#include "src/lab/lab.h"

#include <doctest/doctest.h>

#include <limits>

#include "src/lab/render.h"
#include "src/lab/usage_error.h"

using namespace gradlab;

namespace {

constexpr ParameterSpec kParameters[] = {
    input_parameter("3"), {"factor", ParameterKind::kNumber, "10", "what h is multiplied by"}, kCountParameter};

// h is saved by the multiplication and then written: backward raises, and the run without the write does not.
void list_steps(Lab& lab) {
  const std::vector<double>& values = lab.values("x");
  const double& factor = lab.number("factor");
  const TensorOptions& requires_grad = lab.requires_grad();
  Tensor& x = lab.named("x");
  Tensor& h = lab.named("h");
  Tensor& y = lab.named("y");
  lab.setup(CODE(x = tensor(values, requires_grad)));
  lab.forward(CODE(h = x * 1; y = h * h));
  lab.observe("before", "h before: ", [&] { return numbers_of(h); });
  lab.write(CODE_NO_GRAD(h.mul_(factor)));
  lab.observe("after", "h after: ", [&] { return numbers_of(h); });
  lab.backward(CODE(y.sum().backward()));
  lab.measure("raised", [&] { return lab.error().has_value(); });
  lab.claim("backward raises", [&] { return lab.error().has_value(); });
  lab.claim("h is 0 in the end", [&] { return h.to_vector().front() == 0; });
}

constexpr Scenario kWritten = {.name = "written",
                               .section = "0",
                               .mistake = Mistake::kLoud,
                               .shows = "",
                               .question = "",
                               .parameters = kParameters,
                               .list_steps = list_steps};

void list_failing_steps(Lab& lab) {
  Tensor& x = lab.named("x");
  const TensorOptions& requires_grad = lab.requires_grad();
  lab.setup(CODE(x = ones({2}, requires_grad)));
  lab.write(CODE(x.mul_(2)));
}

constexpr Scenario kFailing = {.name = "failing",
                               .section = "0",
                               .mistake = Mistake::kLoud,
                               .shows = "",
                               .question = "",
                               .parameters = {},
                               .list_steps = list_failing_steps};

}  // namespace

TEST_CASE("a lab lists the statements of a scenario without running them") {
  Lab lab(kWritten, {});
  std::vector<std::string> texts;
  for (const Step& step : lab.steps()) {
    if (step.role != StepRole::kObserve)
      texts.push_back(std::to_string(step.number) + " " + std::string(step.code.text));
  }
  CHECK(texts == std::vector<std::string>{"1 x = tensor(values, requires_grad)", "2 h = x * 1; y = h * h",
                                          "3 with torch.no_grad(): h.mul_(factor)", "4 y.sum().backward()"});
  CHECK_FALSE(lab.named("x").defined());
}

TEST_CASE("a run observes in order, and an error of backward is a result") {
  const Report report = run_scenario(kWritten, {});
  CHECK(render_text(report) == "h before: 3\nh after: 30\n");
  CHECK(report.value_as<bool>("raised"));
  REQUIRE(report.steps.size() == 4);
  REQUIRE(report.steps[3].error.has_value());
  CHECK(report.steps[3].error->type == "RuntimeError");
  CHECK(report.steps[3].line > report.steps[0].line);
  REQUIRE(report.claims.size() == 2);
  CHECK(report.claims[0].holds);
  CHECK_FALSE(report.claims[1].holds);
}

TEST_CASE("a run without its writes gives the right gradient and leaves the first run alone") {
  Lab lab(kWritten, {});
  lab.run();
  CHECK_FALSE(lab.named("x").grad().defined());
  CHECK(lab.without_writes().named("x").grad().to_vector() == std::vector<double>{6});
  CHECK(lab.named("h").to_vector() == std::vector<double>{30});
}

TEST_CASE("an error outside backward is the experiment's fault and is thrown on") {
  CHECK_THROWS_WITH_AS(run_scenario(kFailing, {}),
                       "a leaf Variable that requires grad is being used in an in-place operation.", Error);
}

TEST_CASE("an input is repeated or cut to n elements") {
  const auto values = [](std::vector<Setting> settings) { return Lab(kWritten, settings).values("x"); };
  CHECK(values({{"x", "1,2"}, {"n", "5"}}) == std::vector<double>{1, 2, 1, 2, 1});
  CHECK(values({{"x", "1,2,3"}, {"n", "2"}}) == std::vector<double>{1, 2});
  CHECK(values({{"n", "3"}}) == std::vector<double>{3, 3, 3});
}

TEST_CASE("the report keeps the parameters as they were given") {
  const Setting settings[] = {{"x", "1,2"}, {"n", "5"}};
  const Report report = run_scenario(kWritten, settings);
  REQUIRE(report.parameters.size() == 3);
  CHECK(report.parameters[0].values == std::vector<double>{1, 2});
  CHECK(report.parameters[2].values == std::vector<double>{5});
}

TEST_CASE("a setting that does not fit its parameter is refused before anything runs") {
  const Setting settings[] = {{"factor", "big"}};
  CHECK_THROWS_AS(Lab(kWritten, settings), UsageError);
}

TEST_CASE("a named tensor is the same slot every time") {
  Lab lab(kWritten, {});
  Tensor& x = lab.named("x");
  for (int i = 0; i < 100; ++i) lab.named("other " + std::to_string(i));
  CHECK(&lab.named("x") == &x);
}

TEST_CASE("gradients are the same without tolerance, nan included") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(same_gradient(tensor({1, nan}), tensor({1, nan})));
  CHECK_FALSE(same_gradient(tensor({1.0}), tensor({1.0000001})));
  CHECK_FALSE(same_gradient(tensor({1.0}), Tensor()));
  CHECK(same_gradient(Tensor(), Tensor()));
}

TEST_CASE("the path of a step starts at the scenarios folder") {
  CHECK(path_from_root("/home/me/scenarios/a/scenarios/save_unsafe.cpp") == "scenarios/save_unsafe.cpp");
  CHECK(path_from_root("/tmp/x/lab_test.cpp") == "lab_test.cpp");
  CHECK(path_from_root("lab_test.cpp") == "lab_test.cpp");
}
