// Section 7 of PyTorch's semantics: anomaly mode.
#include "src/autograd/anomaly.h"

#include <limits>

#include "tests/autograd/expect.h"

using namespace gradlab;
using namespace gradlab::test;

namespace {

struct B : Function<B> {
  static Tensor forward(Context&, const Tensor& x) { return x * 1; }
  static Tensor backward(Context&, const Tensor& g) { return g * test::kNan; }
};

struct UsesB : Function<UsesB> {
  static Tensor forward(Context& ctx, const Tensor& x) {
    ctx.save_for_backward(x);
    return x * x;
  }
  static Tensor backward(Context& ctx, const Tensor& g) { return B::apply(ctx.saved_tensors()[0]) * g; }
};

struct Outcome {
  std::string error;
  std::vector<std::string> warnings;
};

template <class Action>
Outcome outcome_of(Action action) {
  Outcome outcome;
  outcome.warnings = warnings_of([&] { outcome.error = error_of(action); });
  return outcome;
}

}  // namespace

TEST_CASE("a nan that backward makes is an error, and a warning says where the forward was") {
  const Outcome outcome = outcome_of([] {
    const AnomalyGuard anomaly;
    const Tensor x = leaf_ones({2});
    const ForwardTraceGuard step("  step 2: y = B.apply(x)\n");
    B::apply(x).sum().backward();
  });
  CHECK(outcome.error == "RuntimeError: Function 'BBackward' returned nan values in its 0th output.");
  REQUIRE(outcome.warnings.size() == 1);
  CHECK(outcome.warnings[0] ==
        "UserWarning: Error detected in BBackward. Traceback of forward call that caused the error:\n  step 2: y = B.apply(x)\n");
}

TEST_CASE("a forward that ran with anomaly mode off has left no trace") {
  const Outcome outcome = outcome_of([] {
    const Tensor y = B::apply(leaf_ones({2})).sum();
    const AnomalyGuard anomaly;
    y.backward();
  });
  CHECK(outcome.error == "RuntimeError: Function 'BBackward' returned nan values in its 0th output.");
  REQUIRE(outcome.warnings.size() == 1);
  CHECK(outcome.warnings[0] ==
        "UserWarning: Error detected in BBackward. No forward pass information available. Enable detect anomaly during forward pass "
        "for more information.");
}

TEST_CASE("check_nan = false lets a nan pass") {
  const Outcome outcome = outcome_of([] {
    const AnomalyGuard anomaly(true, false);
    B::apply(leaf_ones({2})).sum().backward();
  });
  CHECK(outcome.error == "no error");
  CHECK(outcome.warnings.empty());
}

TEST_CASE("a built-in op's nan names its node; inf is no nan") {
  const auto run = [](auto function) {
    return outcome_of([&] {
             const AnomalyGuard anomaly;
             function(leaf({0})).sum().backward();
           })
        .error;
  };
  CHECK(run([](const Tensor& x) { return x.sqrt() * 0; }) ==
        "RuntimeError: Function 'SqrtBackward0' returned nan values in its 0th output.");
  CHECK(run([](const Tensor& x) { return x.sqrt(); }) == "no error");
}

TEST_CASE("the seed itself is not checked, what the first node makes of it is") {
  const Outcome outcome = outcome_of([] {
    const AnomalyGuard anomaly;
    (leaf({1}) + 2).backward(tensor({test::kNan}));
  });
  CHECK(outcome.error == "RuntimeError: Function 'AddBackward0' returned nan values in its 0th output.");
  CHECK(outcome_of([] {
          const AnomalyGuard anomaly;
          leaf({1}).backward(tensor({test::kNan}));
        }).error == "no error");
}

TEST_CASE("a node made inside another node's backward names that one too") {
  const Outcome outcome = outcome_of([] {
    const AnomalyGuard anomaly;
    const Tensor x = leaf({1});
    Tensor g;
    {
      const ForwardTraceGuard step("  first\n");
      g = UsesB::apply(x);
    }
    const ForwardTraceGuard step("  second\n");
    g = grad({g}, {x}, {}, {.create_graph = true})[0];
    grad({g}, {x});
  });
  CHECK(outcome.error == "RuntimeError: Function 'BBackward' returned nan values in its 0th output.");
  REQUIRE(outcome.warnings.size() == 2);
  CHECK(outcome.warnings[0] ==
        "UserWarning: Error detected in BBackward. Traceback of forward call that caused the error:\n  second\n");
  CHECK(outcome.warnings[1] ==
        "UserWarning: \n\nPrevious calculation was induced by UsesBBackward. Traceback of forward call that induced the previous "
        "calculation:\n  first\n");
}

TEST_CASE("any exception of a node or of a hook at it is announced, and goes on unchanged") {
  const Outcome version = outcome_of([] {
    const AnomalyGuard anomaly;
    const Tensor x = leaf({1});
    const Tensor y = x * x;
    const NoGradGuard no_grad;
    x.mul_(2);
    y.backward();
  });
  CHECK(version.error.ends_with(
      "Hint: the backtrace further above shows the operation that failed to compute its gradient. The variable in question was "
      "changed in there or anywhere later. Good luck!"));
  REQUIRE(version.warnings.size() == 1);
  CHECK(version.warnings[0].starts_with("UserWarning: Error detected in MulBackward0. Traceback of forward call"));
  const Outcome hook = outcome_of([] {
    const AnomalyGuard anomaly;
    const Tensor y = leaf({1}) * 2;
    y.register_hook([](const Tensor&) -> Tensor { throw Error(ErrorType::kValueError, "boo"); });
    y.backward();
  });
  CHECK(hook.error == "ValueError: boo");
  REQUIRE(hook.warnings.size() == 1);
  CHECK(hook.warnings[0].starts_with("UserWarning: Error detected in MulBackward0."));
}

TEST_CASE("detect_anomaly warns that it is on, set_detect_anomaly does not") {
  CHECK(warnings_of([] { const DetectAnomalyGuard anomaly; }) ==
        std::vector<std::string>{"UserWarning: Anomaly Detection has been enabled. This mode will increase the runtime and should "
                                 "only be enabled for debugging."});
  CHECK(warnings_of([] { const AnomalyGuard anomaly; }).empty());
}

TEST_CASE("anomaly mode ends with its scope, and can be switched off inside") {
  {
    const AnomalyGuard anomaly(true, false);
    CHECK(AnomalyMode::is_enabled());
    CHECK_FALSE(AnomalyMode::checks_nan());
    const AnomalyGuard off(false);
    CHECK_FALSE(AnomalyMode::is_enabled());
  }
  CHECK_FALSE(AnomalyMode::is_enabled());
  CHECK(AnomalyMode::checks_nan());
}
