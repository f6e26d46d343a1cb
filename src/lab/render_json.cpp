#include "src/lab/json.h"
#include "src/lab/render.h"

namespace gradlab {
namespace {

Json json_of(const Numbers& numbers) {
  Json list = Json::array();
  if (!numbers.is_complete()) return nullptr;
  for (const double number : numbers.values) list.push_back(json_number(number));
  return list;
}

Json json_of(const ErrorValue& error) { return {{"type", error.type}, {"message", error.message}}; }

struct JsonOf {
  Json operator()(std::monostate) const { return nullptr; }
  Json operator()(bool value) const { return value; }
  Json operator()(const std::string& text) const { return text; }
  Json operator()(const Numbers& numbers) const { return json_of(numbers); }
  Json operator()(const TensorValue& tensor) const {
    return {{"shape", tensor.shape}, {"values", json_of(tensor.numbers)}};
  }
  Json operator()(const NodeValue& node) const { return {{"class", node.class_name}}; }
  Json operator()(const ErrorValue& error) const { return json_of(error); }
};

Json json_of(const Parameter& parameter) {
  Json value;
  if (parameter.kind == ParameterKind::kValues) {
    value = Json::array();
    for (const double number : parameter.values) value.push_back(json_number(number));
  } else if (parameter.kind == ParameterKind::kCount) {
    value = static_cast<std::int64_t>(parameter.values.front());
  } else if (parameter.kind == ParameterKind::kWord) {
    value = parameter.text;
  } else {
    value = json_number(parameter.values.front());
  }
  return {{"name", parameter.name}, {"text", parameter.text}, {"value", std::move(value)}};
}

Json json_of(const StepRecord& step) {
  return {{"number", step.number}, {"role", role_name(step.role)},
          {"code", step.code},     {"file", step.file},
          {"line", step.line},     {"error", step.error ? json_of(*step.error) : Json()}};
}

Json json_of(const Observation& observation, RenderOptions options) {
  return {{"key", observation.key},
          {"label", observation.label},
          {"text", text_of(observation.value, options.with_addresses)},
          {"value", std::visit(JsonOf{}, observation.value)},
          {"printed", observation.is_printed}};
}

Json json_of(const Report& report, RenderOptions options) {
  Json experiment = {{"name", report.name},
                     {"section", report.section},
                     {"device", report.device == Device::kCpu ? "cpu" : "cuda"},
                     {"parameters", Json::array()},
                     {"steps", Json::array()},
                     {"observations", Json::array()},
                     {"claims", Json::array()},
                     {"reproduced", report.is_reproduced()}};
  for (const Parameter& parameter : report.parameters) experiment["parameters"].push_back(json_of(parameter));
  for (const StepRecord& step : report.steps) experiment["steps"].push_back(json_of(step));
  for (const Observation& observation : report.observations) {
    experiment["observations"].push_back(json_of(observation, options));
  }
  for (const Claim& claim : report.claims) {
    experiment["claims"].push_back({{"text", claim.text}, {"holds", claim.holds}});
  }
  return experiment;
}

}  // namespace

std::string render_json(std::span<const Report> reports, RenderOptions options) {
  Json document = {{"schema", kJsonSchema}, {"experiments", Json::array()}};
  for (const Report& report : reports) document["experiments"].push_back(json_of(report, options));
  return document.dump(2) + "\n";
}

}  // namespace gradlab
