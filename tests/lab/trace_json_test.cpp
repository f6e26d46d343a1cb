#include "src/lab/trace_json.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <string>

#include "scenarios/catalogue.h"
#include "src/lab/explain.h"
#include "src/lab/record.h"
#include "src/lab/trace_print.h"
#include "src/lab/usage_error.h"

using namespace gradlab;

namespace {

const std::string kHeader = R"({"schema":"gradlab-trace","version":1,"program":"p"})"
                            "\n";
const std::string kRun = R"({"kind":"run","run":"as_written"})"
                         "\n";
const std::string kStep = R"j({"kind":"step","step":1,"role":"setup","code":"x = torch.ones(1)"})j"
                          "\n";
const std::string kEnd = R"({"kind":"end"})"
                         "\n";

trace::Trace read(const std::string& text) { return trace_from_json_lines(text, "FILE"); }

std::string refusal_of(const std::string& text) {
  try {
    read(text);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "accepted";
}

trace::Content content(std::vector<double> values, std::string fingerprint) {
  trace::Content content;
  content.shape = {static_cast<std::int64_t>(values.size())};
  content.dtype = "torch.float32";
  content.count = content.shape.front();
  content.values = std::move(values);
  content.fingerprint = std::move(fingerprint);
  return content;
}

trace::Trace hand_made_trace() {
  trace::Trace trace{.producer = "by hand", .program = "p", .device = "cpu", .parameters = {{"x", "3"}}, .runs = {}};
  trace::Run& run = trace.runs.emplace_back();
  run.steps = {{1, StepRole::kSetup, "x = torch.tensor([3.])", "p.py", 3},
               {2, StepRole::kBackward, "y.backward()", "", 0}};
  run.events = {{1, trace::NodeMade{1, "AccumulateGrad", false, "x", {}, {}}},
                {1, trace::TensorSaved{1, trace::SavedBy::kCtxAttribute, "x", "x", 7, content({3}, "f3")}},
                {2, trace::GradAccumulated{"x", content({NAN, INFINITY, -INFINITY, -0.0, 0.1}, "fg")}},
                {2, trace::ErrorRaised{"RuntimeError", "a \"quoted\" text\nof two lines"}}};
  return trace;
}

}  // namespace

TEST_CASE("what is written is read back, nan and infinities included") {
  const trace::Trace trace = hand_made_trace();
  const trace::Trace back = read(trace_to_json_lines(trace));
  CHECK(back == trace);
  const auto& grad = std::get<trace::GradAccumulated>(back.runs[0].events[2].body).grad;
  REQUIRE(grad.values.size() == 5);
  CHECK(std::isnan(grad.values[0]));
  CHECK(grad.values[1] == std::numeric_limits<double>::infinity());
  CHECK(std::signbit(grad.values[3]));
  CHECK(grad.values[4] == 0.1);
}

TEST_CASE("fields and kinds that are not known are skipped") {
  const trace::Trace trace = read(R"({"schema":"gradlab-trace","version":1,"program":"p","host":"here"})"
                                  "\n" +
                                  kRun + kStep +
                                  R"({"kind":"coffee","step":1,"cups":2})"
                                  "\n"
                                  R"({"kind":"free","step":1,"node":4,"when":{"a":[1]}})"
                                  "\n" +
                                  kEnd);
  REQUIRE(trace.runs[0].events.size() == 1);
  CHECK(std::get<trace::SavedFreed>(trace.runs[0].events[0].body).node == 4);
}

TEST_CASE("a malformed line is named") {
  const std::string start = kHeader + kRun + kStep;
  CHECK(refusal_of("hello\n") == "FILE:1: this is no JSON object");
  CHECK(refusal_of("[]\n") == "FILE:1: a line must be an object");
  CHECK(refusal_of("{}\n") == "FILE:1: the field \"schema\" is missing");
  CHECK(refusal_of(R"({"schema":"other","version":1})"
                   "\n") == "FILE:1: this is no gradlab-trace");
  CHECK(refusal_of(R"({"schema":"gradlab-trace","version":2,"program":"p"})"
                   "\n") == "FILE:1: the schema's version is 2; this program reads version 1");
  CHECK(refusal_of(kHeader + kStep) == "FILE:2: a \"run\" line must come first");
  CHECK(refusal_of(start + R"({"kind":"free","step":1})") == "FILE:4: the field \"node\" is missing");
  CHECK(refusal_of(start + R"({"kind":"free","step":1,"node":"1"})") == "FILE:4: \"node\" must be a whole number");
  CHECK(refusal_of(start + R"({"kind":"free","step":1,"node":1.5})") == "FILE:4: \"node\" must be a whole number");
  CHECK(refusal_of(start + R"({"kind":"free","step":1,"node":99999999999})") ==
        "FILE:4: \"node\" must be a whole number");
  CHECK(refusal_of(start + R"({"kind":"free","step":2,"node":1})") == "FILE:4: step 2 is not the one that is running");
  CHECK(refusal_of(start + kStep) == "FILE:4: step 1 stands twice in this run");
  CHECK(refusal_of(start + kRun) == "FILE:4: the first run, and only that, is \"as_written\"");
  CHECK(refusal_of(kHeader + kRun + R"({"kind":"step","step":1,"role":"lunch","code":""})") ==
        "FILE:3: \"role\" must be one of setup, forward, write, backward, not \"lunch\"");
  CHECK(
      refusal_of(
          start +
          R"({"kind":"state","step":1,"tensor":"x","version":0,"content":{"shape":[1],"dtype":"torch.float32","values":["one"],"fingerprint":"f"}})") ==
      "FILE:4: \"values\" must hold numbers, or the texts nan, inf, -inf");
}

TEST_CASE("a truncated file is named, wherever it ends") {
  CHECK(refusal_of("") == "FILE:1: the file ends here without the line {\"kind\":\"end\"}: it is truncated");
  const std::string whole = trace_to_json_lines(hand_made_trace());
  REQUIRE(refusal_of(whole) == "accepted");
  for (std::size_t size = 0; size + 1 < whole.size(); ++size) {
    const std::string refusal = refusal_of(whole.substr(0, size));
    CHECK_MESSAGE(refusal.starts_with("FILE:"), size);
  }
  CHECK(refusal_of(whole + kEnd) == "FILE:10: nothing may follow the line {\"kind\":\"end\"}");
}

TEST_CASE("a file with a line left out or a number changed is refused or explained, never more") {
  const std::string whole = trace_to_json_lines(record_trace(*find_scenario("data-write"), {}, Device::kCpu, "test"));
  const auto try_it = [](const std::string& text) {
    try {
      const trace::Trace trace = read(text);
      explain_text(trace);
      explain_text(trace, true);
      trace_text(trace);
    } catch (const UsageError&) {
    }
  };
  for (std::size_t begin = 0; begin < whole.size();) {
    const std::size_t end = whole.find('\n', begin) + 1;
    try_it(whole.substr(0, begin) + whole.substr(end));
    begin = end;
  }
  for (std::size_t i = 0; i < whole.size(); ++i) {
    if (whole[i] < '0' || whole[i] > '9' || i % 7 != 0) continue;
    std::string changed = whole;
    changed[i] = whole[i] == '0' ? '9' : '0';
    try_it(changed);
  }
}

TEST_CASE("two traces part at the first event that differs") {
  const trace::Trace a = hand_made_trace();
  CHECK_FALSE(first_difference(a, a).has_value());
  trace::Trace b = a;
  std::get<trace::TensorSaved>(b.runs[0].events[1].body).version = 8;
  CHECK(first_difference(a, b) ==
        "run as written, step 1: x = torch.tensor([3.])\n"
        "  event 2 of the step differs\n"
        "  A  save             x at version 7, in node 1 by ctx.x\n"
        "  B  save             x at version 8, in node 1 by ctx.x\n"
        "  in version\n");
  b = a;
  b.runs[0].events.pop_back();
  CHECK(first_difference(a, b).value().find("  B  (no event)\n") != std::string::npos);
  b = a;
  b.runs.push_back({trace::RunKind::kRepair, "x.clone()", {}, {}});
  CHECK(first_difference(a, b) == "Only B has the run with the repair: x.clone().\n");
  b = a;
  b.runs[0].steps[1].code = "y.sum().backward()";
  CHECK(first_difference(a, b) == "run as written, step 2:\n  A  y.backward()\n  B  y.sum().backward()\n");
}

TEST_CASE("traces of two programs are compared by values, not by fingerprints or places") {
  const trace::Trace a = hand_made_trace();
  trace::Trace b = a;
  std::get<trace::TensorSaved>(b.runs[0].events[1].body).content.fingerprint = "other";
  b.runs[0].steps[0].line = 99;
  CHECK(first_difference(a, b).has_value());
  b.producer = "torch-recorder 1";
  CHECK_FALSE(first_difference(a, b).has_value());
}
