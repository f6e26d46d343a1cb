#include "src/lab/trace_print.h"

#include <fmt/format.h>

#include "src/lab/trace_json.h"
#include "src/lab/trace_text.h"

namespace gradlab {
namespace {

std::string shape_of(const trace::Content& content) {
  return fmt::format("{} [{}]", content.dtype, fmt::join(content.shape, ", "));
}

std::string gradients_text(const std::vector<std::optional<trace::Content>>& gradients) {
  std::vector<std::string> texts;
  for (const auto& gradient : gradients) texts.push_back(gradient ? value_text(*gradient) : "None");
  return texts.empty() ? "nothing" : fmt::format("{}", fmt::join(texts, ", "));
}

std::string kept_text(trace::SavedBy by, const std::string& attribute) {
  return by == trace::SavedBy::kCtxAttribute ? "ctx." + attribute : std::string(word_of(by));
}

struct EventText {
  std::string operator()(const trace::TensorMade& event) const {
    std::string text = fmt::format("{} = {}, {}, {}", event.tensor, value_text(event.content), shape_of(event.content),
                                   word_of(event.origin));
    if (!event.op.empty()) text += " " + event.op;
    if (!event.inputs.empty()) text += fmt::format(" of {}", fmt::join(event.inputs, ", "));
    if (event.requires_grad) text += ", requires grad";
    return text + (event.grad_mode ? "" : ", no_grad");
  }
  std::string operator()(const trace::NodeMade& event) const {
    std::vector<std::string> edges;
    for (const trace::Edge& edge : event.next_functions) {
      edges.push_back(edge.node == 0 ? "None" : fmt::format("node {}", edge.node));
    }
    std::string text = fmt::format("node {}: {}", event.node, event.name);
    if (!event.variable.empty()) text += " of " + event.variable;
    return text + (edges.empty() ? "" : fmt::format(" -> {}", fmt::join(edges, ", ")));
  }
  std::string operator()(const trace::GradFnSet& event) const {
    return fmt::format("{}.grad_fn is node {}", event.tensor, event.node);
  }
  std::string operator()(const trace::KernelLaunched& event) const {
    return fmt::format("{} on {}, {} elements: {}; not seen by autograd", event.kernel, event.device, event.elements,
                       fmt::join(event.tensors, ", "));
  }
  std::string operator()(const trace::TensorSaved& event) const {
    const std::string owner = event.node == 0 ? "a ctx without a node" : fmt::format("node {}", event.node);
    return fmt::format("{} at version {}, in {} by {}", event.tensor, event.version, owner,
                       kept_text(event.by, event.attribute));
  }
  std::string operator()(const trace::TensorWritten& event) const {
    std::string text = fmt::format("{}: {}, version {}", event.tensor, change_text(event.before, event.after),
                                   change_text(event.version_before, event.version_after));
    return text +
           (event.shared_with.empty() ? "" : fmt::format(", shared with {}", fmt::join(event.shared_with, ", ")));
  }
  std::string operator()(const trace::GhostWrite& event) const {
    return fmt::format("{}: {}, version still {}", event.tensor, change_text(event.before, event.after), event.version);
  }
  std::string operator()(const trace::TensorUnpacked& event) const {
    const std::string found = event.outcome == trace::UnpackOutcome::kFreed
                                  ? ""
                                  : fmt::format(" = {} at version {}", value_text(event.content), event.version);
    return fmt::format("{}{}, expected {}, by node {} from {}: {}", event.tensor, found, event.expected_version,
                       event.node, kept_text(event.by, event.attribute), word_of(event.outcome));
  }
  std::string operator()(const trace::NodeBegan& event) const {
    return fmt::format("node {} takes {}", event.node, gradients_text(event.grad_outputs));
  }
  std::string operator()(const trace::NodeEnded& event) const {
    return fmt::format("node {} gives {}", event.node, gradients_text(event.grad_inputs));
  }
  std::string operator()(const trace::GradAccumulated& event) const {
    return fmt::format("{}.grad = {}", event.tensor, value_text(event.grad));
  }
  std::string operator()(const trace::SavedFreed& event) const { return fmt::format("node {}", event.node); }
  std::string operator()(const trace::ErrorRaised& event) const {
    return fmt::format("{}: {}", event.type, event.message);
  }
  std::string operator()(const trace::TensorState& event) const {
    std::string text = fmt::format("{} = {} at version {}", event.tensor, value_text(event.content), event.version);
    if (event.grad_fn != 0) {
      text += fmt::format(", grad_fn node {}", event.grad_fn);
    } else {
      text += event.requires_grad ? ", a leaf" : ", no grad_fn";
    }
    return text + (event.grad ? ", grad " + value_text(*event.grad) : "");
  }
};

}  // namespace

std::string event_text(const trace::Event& event) {
  return fmt::format("{:<16} {}", kind_of(event), std::visit(EventText{}, event.body));
}

std::string trace_text(const trace::Trace& trace) {
  std::string text = trace.program;
  if (!trace.device.empty()) text += " on " + trace.device;
  for (const auto& [name, value] : trace.parameters) text += fmt::format(", {}={}", name, value);
  text += "\n";
  for (const trace::Run& run : trace.runs) {
    text += fmt::format("\n{}\n", run_name(run));
    for (const trace::Step& step : run.steps) {
      text += fmt::format("  step {}  {}\n", step.number, step.code);
      for (const trace::Event& event : run.events) {
        if (event.step == step.number) text += fmt::format("    {}\n", event_text(event));
      }
    }
  }
  return text;
}

}  // namespace gradlab
