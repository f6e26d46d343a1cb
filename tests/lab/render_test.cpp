#include "src/lab/render.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "tests/lab/reports.h"

using namespace gradlab;

TEST_CASE("the text of a report is its printed observations, a line each") {
  CHECK(render_text(test::hand_made_report()) ==
        "x.requires_grad: True\n"
        "x.grad: None\n"
        "y.grad_fn: <TBackward at ...>\n"
        "y: tensor([-inf])\n"
        "RuntimeError: no way\n");
}

TEST_CASE("the text shows real addresses only when asked") {
  const std::string text = render_text(test::hand_made_report(), {.with_addresses = true});
  CHECK(text.find("y.grad_fn: <TBackward at 0x1f>\n") != std::string::npos);
}

TEST_CASE("the JSON document carries the schema, and each experiment whole") {
  const std::vector<Report> reports = {test::hand_made_report(), test::hand_made_report()};
  const nlohmann::json document = nlohmann::json::parse(render_json(reports));
  CHECK(document["schema"] == kJsonSchema);
  REQUIRE(document["experiments"].size() == 2);
  const nlohmann::json& experiment = document["experiments"][0];
  CHECK(experiment["name"] == "hand-made");
  CHECK(experiment["section"] == "15.9");
  CHECK(experiment["device"] == "cpu");
  CHECK(experiment["reproduced"] == false);
  CHECK(experiment["steps"][0]["error"].is_null());
  CHECK(experiment["steps"][1] == nlohmann::json{{"number", 2},
                                                 {"role", "backward"},
                                                 {"code", "x.backward()"},
                                                 {"file", "scenarios/hand_made.cpp"},
                                                 {"line", 13},
                                                 {"error", {{"type", "RuntimeError"}, {"message", "no way"}}}});
  CHECK(experiment["claims"][1] == nlohmann::json{{"text", "the moon is green"}, {"holds", false}});
  CHECK(experiment["observations"].size() == 6);
  CHECK(experiment["observations"][2] ==
        nlohmann::json{
            {"key", "hidden"}, {"label", ""}, {"text", "[3, 0.5]"}, {"value", {3.0, 0.5}}, {"printed", false}});
}

TEST_CASE("JSON numbers that are not finite are strings") {
  const std::vector<Report> reports = {test::hand_made_report()};
  const nlohmann::json document = nlohmann::json::parse(render_json(reports));
  const nlohmann::json& experiment = document["experiments"][0];
  CHECK(experiment["parameters"][0]["value"] == nlohmann::json{3.0, "nan"});
  CHECK(experiment["parameters"][2]["value"] == 2);
  CHECK(experiment["observations"][4]["value"] == nlohmann::json{{"shape", {1}}, {"values", {"-inf"}}});
}

TEST_CASE("a tensor of which only the edges were kept has null for its values in JSON") {
  Report report;
  report.observations = {{"t", "", TensorValue{"tensor([...])", {2000}, {{1, 1, 1, 1, 1, 1}, 2000}}, true}};
  const nlohmann::json document = nlohmann::json::parse(render_json({&report, 1}));
  CHECK(document["experiments"][0]["observations"][0]["value"]["values"].is_null());
}

TEST_CASE("a report is reproduced when each of its claims holds") {
  Report report = test::hand_made_report();
  CHECK_FALSE(report.is_reproduced());
  report.claims.pop_back();
  CHECK(report.is_reproduced());
}

TEST_CASE("asking a report for an observation it does not have names both") {
  CHECK_THROWS_WITH_AS(test::hand_made_report().value("colour"), "hand-made has no observation 'colour'",
                       std::out_of_range);
}
