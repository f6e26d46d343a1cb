// The experiments of scenarios/ under other values than their defaults, and the functions that they share.
#include <doctest/doctest.h>

#include "scenarios/catalogue.h"
#include "scenarios/functions.h"
#include "src/lab/lab.h"
#include "src/lab/render.h"
#include "src/lab/usage_error.h"

using namespace gradlab;

namespace {

Report run(std::string_view name, std::vector<Setting> settings) {
  const Scenario* scenario = find_scenario(name);
  REQUIRE(scenario != nullptr);
  return run_scenario(*scenario, settings);
}

std::string text(std::string_view name, std::vector<Setting> settings) { return render_text(run(name, settings)); }

// GELU's gradient for an arriving one, by the kernel and by arithmetic.
void check_kernel_gradient(const Tensor& x, const Tensor& grad_output) {
  CHECK(allclose(gelu_kernel_gradient(x, grad_output), gelu_exact_gradient(x, grad_output), 1e-5, 1e-6));
}

}  // namespace

TEST_CASE("what every experiment claims holds for other values too") {
  const std::vector<std::vector<Setting>> variations = {{},
                                                        {{"x", "5"}},
                                                        {{"x", "-3,0.5,2,1e-3"}},
                                                        {{"x", "2,-7"}, {"n", "1001"}},
                                                        {{"x", "0.25"}, {"factor", "-2"}, {"value", "4"}},
                                                        {{"factor", "1e6"}, {"value", "-1"}}};
  for (const Scenario* scenario : all_scenarios()) {
    for (const std::vector<Setting>& settings : variations) {
      const Report report = run_scenario(*scenario, settings);
      for (const Claim& claim : report.claims) {
        CHECK_MESSAGE(claim.holds, report.name, ": ", claim.text, " (", settings.empty() ? "" : settings[0].text, ")");
      }
    }
  }
}

TEST_CASE("a claim that a value does not show is not claimed to hold") {
  CHECK_FALSE(run("kernel-overwrite", {{"factor", "1"}}).is_reproduced());
  CHECK_FALSE(run("data-write", {{"x", "inf"}}).is_reproduced());
  CHECK(run("kernel-confesses", {{"factor", "1"}}).is_reproduced());  // reported is refused, changed or not
}

TEST_CASE("all numbers of the further experiments follow the parameters") {
  CHECK(text("kernel-overwrite", {{"x", "1,2"}, {"factor", "3"}}) ==
        "x._version before the kernel: 0\n"
        "x._version after the kernel: 0\n"
        "x is now: tensor([3., 6.])\n"
        "backward succeeded silently, x.grad: tensor([ 6., 12.])\n");
  CHECK(text("save-clone", {{"x", "5"}, {"factor", "2"}}) == "x is now: tensor([10.])\nx.grad: tensor([10.])\n");
  CHECK(text("data-write", {{"x", "0"}}) ==
        "y._version: 0\n"
        "backward succeeded silently, a.grad: tensor([0.])\n"
        "without the write, grad: tensor([0.2500])\n");
  CHECK(text("view-write", {{"n", "5"}}).find("[torch.FloatTensor [5]] is at version 1") != std::string::npos);
}

TEST_CASE("GELU's backward as a kernel is one launch, and moves 8 bytes an element and one gradient") {
  const Report report = run("backward-kernel", {{"n", "1000"}});
  CHECK(report.value_as<Numbers>("counted").values == std::vector<double>{11, 1, 100'004, 8'004});
  CHECK(text("backward-kernel", {})
            .ends_with("launches: arithmetic 11, kernel 1\nbytes moved: arithmetic 304, kernel 28\n"));
}

TEST_CASE("function prints the same with a kernel in backward") {
  CHECK(text("function", {{"backward", "kernel"}}) == text("function", {}));
  const auto steps = run("function", {{"backward", "kernel"}}).steps;
  CHECK(steps[1].code == "y = kernel::TritonGELU::apply(x)");
  CHECK_THROWS_WITH_AS(run("function", {{"backward", "kernl"}}),
                       "--set backward: backward takes arithmetic or kernel, not 'kernl': did you mean 'kernel'?",
                       UsageError);
}

TEST_CASE("the kernel's gradient is right for a gradient of any strides") {
  const Tensor x = tensor({-1, 0.5, 2, -0.25, 3, 1}, {2, 3});
  const Tensor dense = tensor({1, 2, 3, 4, 5, 6}, {2, 3});
  check_kernel_gradient(x, dense);
  check_kernel_gradient(x, tensor({2}).expand({2, 3}));                                // one value
  check_kernel_gradient(x, tensor({1, 2, 3}).expand({2, 3}));                          // one row
  check_kernel_gradient(x, tensor({1, 2}, {2, 1}).expand({2, 3}));                     // one column
  check_kernel_gradient(x, tensor({1, 2, 3, 4, 5, 6}, {3, 2}).t());                    // transposed
  check_kernel_gradient(x, tensor({9, 1, 2, 3, 9, 4, 5, 6}, {2, 4}).narrow(1, 1, 3));  // sliced
  check_kernel_gradient(tensor({0.5}), tensor({3}));                                   // one element
}

TEST_CASE("a Function with a kernel in backward takes such gradients from the engine") {
  const Tensor x = tensor({-1, 0.5, 2, -0.25}, {2, 2}, {.requires_grad = true});
  const Tensor x2 = tensor({-1, 0.5, 2, -0.25}, {2, 2}, {.requires_grad = true});
  const Tensor gradient = tensor({1, 2, 3, 4}, {2, 2}).t();
  kernel::TritonGELU::apply(x).backward(gradient);
  x2.gelu().backward(gradient);
  CHECK(allclose(x.grad(), x2.grad(), 1e-5, 1e-6));
  CHECK(kernel::TritonGELU::apply(x).grad_fn()->class_name() == "TritonGELUBackward");
}
