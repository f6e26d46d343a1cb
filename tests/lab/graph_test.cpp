// The graph of traces made by hand: whoever wrote them, gradlab or another program.
#include "src/lab/graph.h"

#include <doctest/doctest.h>

#include "src/lab/usage_error.h"

using namespace gradlab;

namespace {

trace::Content content(std::vector<std::int64_t> shape, double value) {
  return {.shape = std::move(shape),
          .dtype = "torch.float32",
          .is_initialized = true,
          .values = {value},
          .count = 1,
          .fingerprint = std::to_string(value)};
}

trace::Event state(int step, std::string tensor, int grad_fn, std::uint32_t version, bool requires_grad = true) {
  return {step, trace::TensorState{.tensor = std::move(tensor),
                                   .requires_grad = requires_grad,
                                   .is_leaf = grad_fn == 0,
                                   .grad_fn = grad_fn,
                                   .version = version,
                                   .content = content({1}, version == 0 ? 1 : 10),
                                   .grad = std::nullopt}};
}

trace::TensorMade made(std::string tensor, trace::Origin origin, std::vector<std::string> inputs = {}) {
  return {.tensor = std::move(tensor),
          .origin = origin,
          .op = "",
          .inputs = std::move(inputs),
          .base = "",
          .device = "cpu",
          .requires_grad = false,
          .grad_mode = true,
          .version = 0,
          .content = content({1}, 0)};
}

// x, y = x * x by a Function that keeps x, a write to x, backward.
trace::Trace square(trace::SavedBy by) {
  trace::TensorMade x = made("x", trace::Origin::kFactory);
  x.requires_grad = true;
  trace::Run run;
  run.steps = {{1, StepRole::kSetup, "x = ones(1)", "", 0},
               {2, StepRole::kForward, "y = Square.apply(x)", "", 0},
               {3, StepRole::kWrite, "x.mul_(10)", "", 0},
               {4, StepRole::kBackward, "y.backward()", "", 0}};
  run.events = {
      {1, x},
      state(1, "x", 0, 0),
      {2, trace::NodeMade{1, "AccumulateGrad", false, "x", {}, {}}},
      {2, trace::NodeMade{2, "SquareBackward", true, "", {{1, 0}}, {{1}}}},
      {2, trace::TensorSaved{2, by, by == trace::SavedBy::kCtxAttribute ? "x" : "", "x", 0, content({1}, 1)}},
      {2, trace::GradFnSet{"y", 2, 0}},
      state(2, "y", 2, 0),
      {3, trace::TensorWritten{"x", 0, 1, content({1}, 1), content({1}, 10), {}}},
      state(3, "x", 0, 1),
      {4, trace::SavedFreed{2}},
      {4, trace::ErrorRaised{"RuntimeError", "no"}},
  };
  return {.producer = "a test", .program = "square", .device = "cpu", .parameters = {}, .runs = {run}};
}

// Tensors r made by `events` in step 2 from the leaf x.
Graph lost(std::vector<trace::Event> events) {
  trace::TensorMade x = made("x", trace::Origin::kFactory);
  x.requires_grad = true;
  trace::Run run;
  run.steps = {{1, StepRole::kSetup, "x = ones(1)", "", 0}, {2, StepRole::kForward, "r = f(x)", "", 0}};
  run.events = {{1, x}, state(1, "x", 0, 0)};
  run.events.insert(run.events.end(), events.begin(), events.end());
  run.events.push_back(state(2, "r", 0, 0, false));
  return graph_of({.producer = "", .program = "lost", .device = "", .parameters = {}, .runs = {run}}, 2);
}

}  // namespace

TEST_CASE("the moment drawn by default is the last one before backward") {
  CHECK(default_graph_step(square(trace::SavedBy::kOp).runs.front()) == 3);
  CHECK(default_graph_step({}) == 0);
}

TEST_CASE("a saved tensor is unchanged, then stale, then freed") {
  const trace::Trace trace = square(trace::SavedBy::kSaveForBackward);
  const auto saved_at = [&](int step) { return graph_of(trace, step).nodes.at(0).saved.at(0); };
  CHECK(saved_state_text(saved_at(2)).empty());
  CHECK(saved_text(saved_at(2)) == "saved x, version 0");
  CHECK(saved_state_text(saved_at(3)) == "STALE: now at version 1, written in step 3");
  CHECK(saved_state_text(saved_at(4)) == "freed");
}

TEST_CASE("an attribute of ctx that was written is marked as not checked") {
  const GraphSaved saved = graph_of(square(trace::SavedBy::kCtxAttribute), 3).nodes.at(0).saved.at(0);
  CHECK(saved_text(saved) == "ctx.x = x, version 0");
  CHECK(saved_state_text(saved) == "STALE: now at version 1, written in step 3; not checked");
}

TEST_CASE("a write behind the version counter is marked as such") {
  trace::Trace trace = square(trace::SavedBy::kSaveForBackward);
  trace.runs[0].events[7].body = trace::GhostWrite{"x", 0, content({1}, 1), content({1}, 10), {2}};
  trace::Event after = state(3, "x", 0, 0);
  std::get<trace::TensorState>(after.body).content = content({1}, 10);
  trace.runs[0].events[8] = after;
  CHECK(saved_state_text(graph_of(trace, 3).nodes.at(0).saved.at(0)) ==
        "STALE: overwritten in step 3, version still 0");
}

TEST_CASE("what was written back as it had been is not stale, unless its version will be refused") {
  const auto restored = [](trace::SavedBy by) {
    trace::Trace trace = square(by);
    trace::Event after = state(3, "x", 0, 1);
    std::get<trace::TensorState>(after.body).content = content({1}, 1);
    trace.runs[0].events[8] = after;
    return saved_state_text(graph_of(trace, 3).nodes.at(0).saved.at(0));
  };
  CHECK(restored(trace::SavedBy::kCtxAttribute) == "");
  CHECK(restored(trace::SavedBy::kSaveForBackward) == "STALE: now at version 1, written in step 3");
}

TEST_CASE("the title says the moment, and how it ended") {
  const trace::Trace trace = square(trace::SavedBy::kOp);
  CHECK(graph_title(graph_of(trace, 1)) == "square, after the set-up (step 1)");
  CHECK(graph_title(graph_of(trace, 2)) == "square, after forward (step 2)");
  CHECK(graph_title(graph_of(trace, 3)) == "square, after the write (step 3)");
  CHECK(graph_title(graph_of(trace, 4)) == "square, after backward, which raised RuntimeError (step 4)");
}

TEST_CASE("a step that is not there is answered with those that are") {
  CHECK_THROWS_WITH_AS(graph_of(square(trace::SavedBy::kOp), 7),
                       "square has no step 7\n   1  x = ones(1)\n   2  y = Square.apply(x)\n   3  x.mul_(10)\n"
                       "   4  y.backward()",
                       UsageError);
}

TEST_CASE("nodes come before those that they lead to, and accumulators last") {
  trace::Trace trace = square(trace::SavedBy::kOp);
  trace.runs[0].events.push_back({4, trace::NodeMade{3, "SumBackward0", false, "", {{2, 0}}, {{1}}}});
  trace.runs[0].events.push_back({4, trace::GradFnSet{"y.sum()", 3, 0}});
  const Graph graph = graph_of(trace, 4);
  REQUIRE(graph.nodes.size() == 3);
  CHECK(graph.nodes[0].name == "SumBackward0");
  CHECK(graph.nodes[2].variable == "x");
  // A tensor without a name of the program's is shown where nothing else stands above its node.
  CHECK(graph.tensors.back().name == "y.sum()");
  CHECK(graph_of(trace, 3).tensors.size() == 2);
}

TEST_CASE("the trail of a tensor stops where it was not recorded, and that is named") {
  const auto end_of = [](std::vector<trace::Event> events) {
    const Graph graph = lost(std::move(events));
    REQUIRE(graph.trail_ends.size() == 1);
    CHECK(graph.trail_ends[0].tensor == "r");
    return graph.trail_ends[0];
  };
  trace::TensorMade op = made("r", trace::Origin::kOp, {"x"});
  op.grad_mode = false;
  CHECK(end_of({{2, op}}).why == "no_grad: nothing is recorded");
  op.grad_mode = true;
  op.op = "SignOp";
  CHECK(end_of({{2, op}}).why == "SignOp: no gradient is defined");

  trace::TensorMade detached = made("d", trace::Origin::kDetach);
  detached.base = "x";
  const TrailEnd through = end_of({{2, detached}, {2, made("r", trace::Origin::kOp, {"d"})}});
  CHECK(through.why == "detach() leaves the graph");
  CHECK(through.at == "d");
  CHECK(through.source == "x");
  CHECK(through.code == "r = f(x)");
  detached.origin = trace::Origin::kData;
  CHECK(end_of({{2, detached}, {2, made("r", trace::Origin::kOp, {"d"})}}).why == ".data leaves the graph");

  const trace::Event launch = {2, trace::KernelLaunched{"gelu", "cpu", 1, {"x", "r"}}};
  CHECK(end_of({{2, made("r", trace::Origin::kEmpty)}, launch}).why == "raw kernel gelu: autograd saw nothing");
  const trace::Event kept = {2, trace::TensorSaved{0, trace::SavedBy::kSaveForBackward, "", "x", 0, content({1}, 1)}};
  CHECK(end_of({{2, made("r", trace::Origin::kEmpty)}, kept, launch}).why ==
        "forward was called directly, without apply; raw kernel gelu");
  CHECK(end_of({{2, made("r", trace::Origin::kFactory)}}).why == "made from nothing that requires grad");
}

TEST_CASE("names that the formats would read as their own are written so that they do not") {
  trace::Trace trace = square(trace::SavedBy::kOp);
  trace.program = "<b> & \"q\"";
  const Graph graph = graph_of(trace, 3);
  CHECK(graph_dot(graph).find("&lt;b&gt; &amp; &quot;q&quot;, after the write") != std::string::npos);
  CHECK(
      graph_mermaid(graph).find("[\"<b>SquareBackward</b><br/>saved x, version 0<br/>STALE: now at version 1, written "
                                "in step 3\"]:::stale") != std::string::npos);
}

TEST_CASE("a trace without runs or with a cycle draws what there is") {
  CHECK_THROWS_AS(graph_of({}, 0), UsageError);
  trace::Trace trace = square(trace::SavedBy::kOp);
  trace.runs[0].events[2].body = trace::NodeMade{1, "AccumulateGrad", false, "x", {{2, 0}}, {{1}}};
  CHECK(graph_of(trace, 3).nodes.size() == 2);
}
