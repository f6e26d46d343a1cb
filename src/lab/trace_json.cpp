#include "src/lab/trace_json.h"

#include "src/lab/json.h"

namespace gradlab {
namespace {

Json json_of(const trace::Content& content) {
  Json json = {{"shape", content.shape}, {"dtype", content.dtype}};
  if (!content.is_initialized) {
    json["uninitialized"] = true;
    json["count"] = content.count;
    return json;
  }
  json["values"] = Json::array();
  for (const double value : content.values) json["values"].push_back(json_number(value));
  if (!content.is_complete()) json["count"] = content.count;
  json["fingerprint"] = content.fingerprint;
  return json;
}

Json json_of(const std::optional<trace::Content>& content) { return content ? json_of(*content) : Json(); }

Json json_of(const std::vector<std::optional<trace::Content>>& contents) {
  Json list = Json::array();
  for (const auto& content : contents) list.push_back(json_of(content));
  return list;
}

// Adds the field unless it has the value that its absence stands for.
template <class T>
void add_unless_empty(Json& json, const char* name, const T& value) {
  if (value != T{}) json[name] = value;
}

struct Fields {
  Json& json;

  void operator()(const trace::TensorMade& event) const {
    json["tensor"] = event.tensor;
    json["origin"] = word_of(event.origin);
    add_unless_empty(json, "op", event.op);
    add_unless_empty(json, "inputs", event.inputs);
    add_unless_empty(json, "base", event.base);
    add_unless_empty(json, "device", event.device);
    json["requires_grad"] = event.requires_grad;
    if (!event.grad_mode) json["grad_mode"] = false;
    json["version"] = event.version;
    json["content"] = json_of(event.content);
  }
  void operator()(const trace::NodeMade& event) const {
    json["node"] = event.node;
    json["name"] = event.name;
    add_unless_empty(json, "custom_function", event.is_custom_function);
    add_unless_empty(json, "variable", event.variable);
    if (event.next_functions.empty()) return;
    json["next_functions"] = Json::array();
    for (const trace::Edge& edge : event.next_functions) json["next_functions"].push_back({edge.node, edge.input_nr});
    json["next_shapes"] = event.next_shapes;
  }
  void operator()(const trace::GradFnSet& event) const {
    json["tensor"] = event.tensor;
    json["node"] = event.node;
    add_unless_empty(json, "output_nr", event.output_nr);
  }
  void operator()(const trace::KernelLaunched& event) const {
    json["kernel"] = event.kernel;
    json["device"] = event.device;
    json["elements"] = event.elements;
    json["tensors"] = event.tensors;
  }
  void operator()(const trace::TensorSaved& event) const {
    json["node"] = event.node;
    json["by"] = word_of(event.by);
    add_unless_empty(json, "attribute", event.attribute);
    json["tensor"] = event.tensor;
    json["version"] = event.version;
    json["content"] = json_of(event.content);
  }
  void operator()(const trace::TensorWritten& event) const {
    json["tensor"] = event.tensor;
    json["version_before"] = event.version_before;
    json["version_after"] = event.version_after;
    json["before"] = json_of(event.before);
    json["after"] = json_of(event.after);
    add_unless_empty(json, "shared_with", event.shared_with);
  }
  void operator()(const trace::GhostWrite& event) const {
    json["tensor"] = event.tensor;
    json["version"] = event.version;
    json["before"] = json_of(event.before);
    json["after"] = json_of(event.after);
    add_unless_empty(json, "saved_by", event.saved_by);
  }
  void operator()(const trace::TensorUnpacked& event) const {
    json["node"] = event.node;
    json["by"] = word_of(event.by);
    add_unless_empty(json, "attribute", event.attribute);
    json["tensor"] = event.tensor;
    json["outcome"] = word_of(event.outcome);
    json["expected_version"] = event.expected_version;
    json["version"] = event.version;
    json["content"] = event.outcome == trace::UnpackOutcome::kFreed ? Json() : json_of(event.content);
  }
  void operator()(const trace::NodeBegan& event) const {
    json["node"] = event.node;
    json["grad_outputs"] = json_of(event.grad_outputs);
  }
  void operator()(const trace::NodeEnded& event) const {
    json["node"] = event.node;
    json["grad_inputs"] = json_of(event.grad_inputs);
  }
  void operator()(const trace::GradAccumulated& event) const {
    json["tensor"] = event.tensor;
    json["grad"] = json_of(event.grad);
  }
  void operator()(const trace::SavedFreed& event) const { json["node"] = event.node; }
  void operator()(const trace::ErrorRaised& event) const {
    json["type"] = event.type;
    json["message"] = event.message;
  }
  void operator()(const trace::TensorState& event) const {
    json["tensor"] = event.tensor;
    json["requires_grad"] = event.requires_grad;
    if (!event.is_leaf) json["is_leaf"] = false;
    add_unless_empty(json, "grad_fn", event.grad_fn);
    json["version"] = event.version;
    json["content"] = json_of(event.content);
    if (event.grad) json["grad"] = json_of(event.grad);
  }
};

struct KindOf {
  std::string_view operator()(const trace::TensorMade&) const { return "tensor"; }
  std::string_view operator()(const trace::NodeMade&) const { return "node"; }
  std::string_view operator()(const trace::GradFnSet&) const { return "grad_fn"; }
  std::string_view operator()(const trace::KernelLaunched&) const { return "launch"; }
  std::string_view operator()(const trace::TensorSaved&) const { return "save"; }
  std::string_view operator()(const trace::TensorWritten&) const { return "write"; }
  std::string_view operator()(const trace::GhostWrite&) const { return "ghost_write"; }
  std::string_view operator()(const trace::TensorUnpacked&) const { return "unpack"; }
  std::string_view operator()(const trace::NodeBegan&) const { return "node_begin"; }
  std::string_view operator()(const trace::NodeEnded&) const { return "node_end"; }
  std::string_view operator()(const trace::GradAccumulated&) const { return "accumulate_grad"; }
  std::string_view operator()(const trace::SavedFreed&) const { return "free"; }
  std::string_view operator()(const trace::ErrorRaised&) const { return "error"; }
  std::string_view operator()(const trace::TensorState&) const { return "state"; }
};

std::string step_to_json(const trace::Step& step) {
  return Json{{"kind", "step"},    {"step", step.number}, {"role", role_name(step.role)},
              {"code", step.code}, {"file", step.file},   {"line", step.line}}
      .dump();
}

}  // namespace

std::string_view word_of(trace::SavedBy by) {
  switch (by) {
    case trace::SavedBy::kSaveForBackward:
      return "save_for_backward";
    case trace::SavedBy::kOp:
      return "op";
    case trace::SavedBy::kCtxAttribute:
      return "ctx";
  }
  return "";
}

std::string_view word_of(trace::UnpackOutcome outcome) {
  switch (outcome) {
    case trace::UnpackOutcome::kOk:
      return "ok";
    case trace::UnpackOutcome::kStale:
      return "stale";
    case trace::UnpackOutcome::kFreed:
      return "freed";
  }
  return "";
}

std::string_view word_of(trace::Origin origin) {
  switch (origin) {
    case trace::Origin::kFactory:
      return "factory";
    case trace::Origin::kEmpty:
      return "empty";
    case trace::Origin::kOp:
      return "op";
    case trace::Origin::kView:
      return "view";
    case trace::Origin::kDetach:
      return "detach";
    case trace::Origin::kData:
      return "data";
  }
  return "";
}

std::string_view word_of(trace::RunKind kind) {
  switch (kind) {
    case trace::RunKind::kAsWritten:
      return "as_written";
    case trace::RunKind::kFrozen:
      return "frozen";
    case trace::RunKind::kRepair:
      return "repair";
  }
  return "";
}

std::string_view kind_of(const trace::Event& event) { return std::visit(KindOf{}, event.body); }

std::string event_to_json(const trace::Event& event) {
  Json json = {{"kind", kind_of(event)}, {"step", event.step}};
  std::visit(Fields{json}, event.body);
  return json.dump();
}

std::string trace_to_json_lines(const trace::Trace& trace) {
  Json header = {{"schema", "gradlab-trace"}, {"version", kTraceSchemaVersion}, {"producer", trace.producer},
                 {"program", trace.program},  {"device", trace.device},         {"parameters", Json::object()}};
  for (const auto& [name, text] : trace.parameters) header["parameters"][name] = text;
  std::string lines = header.dump() + "\n";
  for (const trace::Run& run : trace.runs) {
    Json opening = {{"kind", "run"}, {"run", word_of(run.kind)}};
    add_unless_empty(opening, "title", run.title);
    lines += opening.dump() + "\n";
    std::size_t next = 0;
    for (const trace::Step& step : run.steps) {
      lines += step_to_json(step) + "\n";
      for (; next < run.events.size() && run.events[next].step == step.number; ++next) {
        lines += event_to_json(run.events[next]) + "\n";
      }
    }
  }
  return lines + "{\"kind\":\"end\"}\n";
}

}  // namespace gradlab
