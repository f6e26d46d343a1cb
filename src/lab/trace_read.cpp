// The reading half of trace_json.h.
#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <limits>

#include "src/lab/json.h"
#include "src/lab/trace_json.h"
#include "src/lab/usage_error.h"

namespace gradlab {
namespace {

// Something is wrong with a line; the caller adds which.
[[noreturn]] void refuse(std::string_view problem) { throw UsageError(std::string(problem)); }

using gradlab::word_of;
std::string_view word_of(StepRole role) { return role_name(role); }

// A JSON object whose fields are asked for by type.
class Object {
 public:
  Object(const Json& json, std::string_view what) : json_(json) {
    if (!json.is_object()) refuse(fmt::format("{} must be an object", what));
  }

  // null when the field is absent or null.
  const Json* find(const char* name) const {
    const auto found = json_.find(name);
    return found == json_.end() || found->is_null() ? nullptr : &*found;
  }
  const Json& get(const char* name) const {
    if (const Json* field = find(name)) return *field;
    refuse(fmt::format("the field \"{}\" is missing", name));
  }

  std::string text(const char* name) const { return text(name, get(name)); }
  std::string text_or_empty(const char* name) const {
    const Json* field = find(name);
    return field == nullptr ? "" : text(name, *field);
  }
  bool flag(const char* name, bool absent) const {
    const Json* field = find(name);
    if (field == nullptr) return absent;
    if (!field->is_boolean()) refuse(fmt::format("\"{}\" must be true or false", name));
    return field->get<bool>();
  }
  template <class T>
  T number(const char* name) const {
    return number<T>(name, get(name));
  }
  template <class T>
  T number_or(const char* name, T absent) const {
    const Json* field = find(name);
    return field == nullptr ? absent : number<T>(name, *field);
  }
  // The entries of a list; none when the field is absent.
  std::vector<Json> list(const char* name) const {
    const Json* field = find(name);
    if (field == nullptr) return {};
    if (!field->is_array()) refuse(fmt::format("\"{}\" must be a list", name));
    return {field->begin(), field->end()};
  }
  std::vector<std::string> texts(const char* name) const {
    std::vector<std::string> texts;
    for (const Json& entry : list(name)) texts.push_back(text(name, entry));
    return texts;
  }
  template <class T>
  std::vector<T> numbers(const char* name) const {
    std::vector<T> numbers;
    for (const Json& entry : list(name)) numbers.push_back(number<T>(name, entry));
    return numbers;
  }
  // One of a few words, as the enumerator of that place.
  template <class Enum>
  Enum word(const char* name, std::initializer_list<Enum> values) const {
    const std::string given = text(name);
    std::string accepted;
    for (const Enum value : values) {
      const std::string_view accepted_word = word_of(value);
      if (accepted_word == given) return value;
      accepted += fmt::format("{}{}", accepted.empty() ? "" : ", ", accepted_word);
    }
    refuse(fmt::format("\"{}\" must be one of {}, not \"{}\"", name, accepted, given));
  }

  static std::string text(const char* name, const Json& json) {
    if (!json.is_string()) refuse(fmt::format("\"{}\" must be a text", name));
    return json.get<std::string>();
  }
  template <class T>
  static T number(const char* name, const Json& json) {
    const bool is_in_range =
        json.is_number_unsigned()
            ? json.get<std::uint64_t>() <= static_cast<std::uint64_t>(std::numeric_limits<T>::max())
            : json.is_number_integer() && std::is_signed_v<T> &&
                  json.get<std::int64_t>() >= static_cast<std::int64_t>(std::numeric_limits<T>::min());
    if (!is_in_range) refuse(fmt::format("\"{}\" must be a whole number", name));
    return json.get<T>();
  }

 private:
  const Json& json_;
};

double value_of(const Json& json) {
  if (json.is_number()) return json.get<double>();
  if (json == "nan") return std::numeric_limits<double>::quiet_NaN();
  if (json == "inf") return std::numeric_limits<double>::infinity();
  if (json == "-inf") return -std::numeric_limits<double>::infinity();
  refuse("\"values\" must hold numbers, or the texts nan, inf, -inf");
}

std::vector<std::int64_t> shape_of(const Json& json) {
  if (!json.is_array()) refuse("a shape must be a list");
  std::vector<std::int64_t> shape;
  for (const Json& size : json) shape.push_back(Object::number<std::int64_t>("shape", size));
  return shape;
}

trace::Content content_of(const Json& json) {
  const Object object(json, "a content");
  trace::Content content;
  content.shape = shape_of(object.get("shape"));
  content.dtype = object.text("dtype");
  content.is_initialized = !object.flag("uninitialized", false);
  if (content.is_initialized) object.get("values");
  for (const Json& value : object.list("values")) content.values.push_back(value_of(value));
  content.count = object.number_or("count", static_cast<std::int64_t>(content.values.size()));
  if (content.count < static_cast<std::int64_t>(content.values.size())) refuse("\"count\" is less than the values");
  if (content.is_initialized) content.fingerprint = object.text("fingerprint");
  return content;
}

std::optional<trace::Content> content_if_any(const Json* json) {
  if (json == nullptr || json->is_null()) return std::nullopt;
  return content_of(*json);
}

std::vector<std::optional<trace::Content>> contents_of(const Object& object, const char* name) {
  std::vector<std::optional<trace::Content>> contents;
  for (const Json& entry : object.list(name)) contents.push_back(content_if_any(&entry));
  return contents;
}

trace::SavedBy saved_by(const Object& object) {
  using enum trace::SavedBy;
  return object.word("by", {kSaveForBackward, kOp, kCtxAttribute});
}

trace::Body tensor_made(const Object& line) {
  using enum trace::Origin;
  return trace::TensorMade{.tensor = line.text("tensor"),
                           .origin = line.word("origin", {kFactory, kEmpty, kOp, kView, kDetach, kData}),
                           .op = line.text_or_empty("op"),
                           .inputs = line.texts("inputs"),
                           .base = line.text_or_empty("base"),
                           .device = line.text_or_empty("device"),
                           .requires_grad = line.flag("requires_grad", false),
                           .grad_mode = line.flag("grad_mode", true),
                           .version = line.number_or<std::uint32_t>("version", 0),
                           .content = content_of(line.get("content"))};
}

trace::Body node_made(const Object& line) {
  trace::NodeMade made{.node = line.number<int>("node"),
                       .name = line.text("name"),
                       .is_custom_function = line.flag("custom_function", false),
                       .variable = line.text_or_empty("variable"),
                       .next_functions = {},
                       .next_shapes = {}};
  for (const Json& edge : line.list("next_functions")) {
    if (!edge.is_array() || edge.size() != 2) refuse("\"next_functions\" must hold pairs [node, input_nr]");
    made.next_functions.push_back(
        {Object::number<int>("next_functions", edge[0]), Object::number<int>("next_functions", edge[1])});
  }
  for (const Json& shape : line.list("next_shapes")) made.next_shapes.push_back(shape_of(shape));
  if (!made.next_shapes.empty()) made.next_shapes.resize(made.next_functions.size());
  return made;
}

trace::Body unpacked(const Object& line) {
  using enum trace::UnpackOutcome;
  return trace::TensorUnpacked{.node = line.number<int>("node"),
                               .by = saved_by(line),
                               .attribute = line.text_or_empty("attribute"),
                               .tensor = line.text("tensor"),
                               .outcome = line.word("outcome", {kOk, kStale, kFreed}),
                               .expected_version = line.number<std::uint32_t>("expected_version"),
                               .version = line.number<std::uint32_t>("version"),
                               .content = content_if_any(line.find("content")).value_or(trace::Content())};
}

trace::Body state(const Object& line) {
  return trace::TensorState{.tensor = line.text("tensor"),
                            .requires_grad = line.flag("requires_grad", false),
                            .is_leaf = line.flag("is_leaf", true),
                            .grad_fn = line.number_or("grad_fn", 0),
                            .version = line.number<std::uint32_t>("version"),
                            .content = content_of(line.get("content")),
                            .grad = content_if_any(line.find("grad"))};
}

// The event of a line, or nothing for a kind that is not known.
std::optional<trace::Body> body_of(const std::string& kind, const Object& line) {
  if (kind == "tensor") return tensor_made(line);
  if (kind == "node") return node_made(line);
  if (kind == "grad_fn") {
    return trace::GradFnSet{line.text("tensor"), line.number<int>("node"), line.number_or("output_nr", 0)};
  }
  if (kind == "launch") {
    return trace::KernelLaunched{line.text("kernel"), line.text_or_empty("device"),
                                 line.number_or<std::int64_t>("elements", 0), line.texts("tensors")};
  }
  if (kind == "save") {
    return trace::TensorSaved{line.number<int>("node"),
                              saved_by(line),
                              line.text_or_empty("attribute"),
                              line.text("tensor"),
                              line.number<std::uint32_t>("version"),
                              content_of(line.get("content"))};
  }
  if (kind == "write") {
    return trace::TensorWritten{line.text("tensor"),
                                line.number<std::uint32_t>("version_before"),
                                line.number<std::uint32_t>("version_after"),
                                content_of(line.get("before")),
                                content_of(line.get("after")),
                                line.texts("shared_with")};
  }
  if (kind == "ghost_write") {
    return trace::GhostWrite{line.text("tensor"), line.number<std::uint32_t>("version"), content_of(line.get("before")),
                             content_of(line.get("after")), line.numbers<int>("saved_by")};
  }
  if (kind == "unpack") return unpacked(line);
  if (kind == "node_begin") return trace::NodeBegan{line.number<int>("node"), contents_of(line, "grad_outputs")};
  if (kind == "node_end") return trace::NodeEnded{line.number<int>("node"), contents_of(line, "grad_inputs")};
  if (kind == "accumulate_grad") return trace::GradAccumulated{line.text("tensor"), content_of(line.get("grad"))};
  if (kind == "free") return trace::SavedFreed{line.number<int>("node")};
  if (kind == "error") return trace::ErrorRaised{line.text("type"), line.text("message")};
  if (kind == "state") return state(line);
  return std::nullopt;
}

class TraceReader {
 public:
  void read(const Json& json) {
    const Object line(json, "a line");
    if (!has_header_) return read_header(line);
    if (is_complete_) refuse("nothing may follow the line {\"kind\":\"end\"}");
    const std::string kind = line.text("kind");
    if (kind == "run") return read_run(line);
    if (kind == "step") return read_step(line);
    if (kind == "end") {
      if (trace_.runs.empty()) refuse("there is no run");
      is_complete_ = true;
      return;
    }
    if (std::optional<trace::Body> body = body_of(kind, line)) add({line.number<int>("step"), std::move(*body)});
  }

  bool is_complete() const { return is_complete_; }
  trace::Trace take() { return std::move(trace_); }

 private:
  void read_header(const Object& line) {
    if (line.text("schema") != "gradlab-trace") refuse("this is no gradlab-trace");
    const int version = line.number<int>("version");
    if (version < 1 || version > kTraceSchemaVersion) {
      refuse(fmt::format("the schema's version is {}; this program reads version {}", version, kTraceSchemaVersion));
    }
    trace_.producer = line.text_or_empty("producer");
    trace_.program = line.text("program");
    trace_.device = line.text_or_empty("device");
    if (const Json* parameters = line.find("parameters")) {
      const Object named(*parameters, "\"parameters\"");
      for (const auto& [name, text] : parameters->items())
        trace_.parameters.emplace_back(name, named.text(name.c_str()));
    }
    has_header_ = true;
  }

  void read_run(const Object& line) {
    using enum trace::RunKind;
    const trace::RunKind kind = line.word("run", {kAsWritten, kFrozen, kRepair});
    if ((kind == kAsWritten) != trace_.runs.empty()) refuse("the first run, and only that, is \"as_written\"");
    trace_.runs.push_back({kind, line.text_or_empty("title"), {}, {}});
  }

  trace::Run& run() {
    if (trace_.runs.empty()) refuse("a \"run\" line must come first");
    return trace_.runs.back();
  }

  void read_step(const Object& line) {
    using enum StepRole;
    trace::Step step{line.number<int>("step"), line.word("role", {kSetup, kForward, kWrite, kBackward}),
                     line.text("code"), line.text_or_empty("file"), line.number_or("line", 0)};
    if (std::ranges::count(run().steps, step.number, &trace::Step::number) > 0) {
      refuse(fmt::format("step {} stands twice in this run", step.number));
    }
    run().steps.push_back(std::move(step));
  }

  void add(trace::Event event) {
    if (run().steps.empty() || run().steps.back().number != event.step) {
      refuse(fmt::format("step {} is not the one that is running", event.step));
    }
    run().events.push_back(std::move(event));
  }

  trace::Trace trace_;
  bool has_header_ = false;
  bool is_complete_ = false;
};

}  // namespace

trace::Trace trace_from_json_lines(std::string_view text, std::string_view name) {
  TraceReader reader;
  std::size_t number = 0;
  while (!text.empty()) {
    ++number;
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    try {
      const Json json = Json::parse(line, nullptr, false);
      if (json.is_discarded()) refuse("this is no JSON object");
      reader.read(json);
    } catch (const UsageError& error) {
      throw UsageError(fmt::format("{}:{}: {}", name, number, error.what()));
    }
  }
  if (!reader.is_complete()) {
    throw UsageError(fmt::format("{}:{}: the file ends here without the line {{\"kind\":\"end\"}}: it is truncated",
                                 name, std::max<std::size_t>(number, 1)));
  }
  return reader.take();
}

}  // namespace gradlab
