#include "src/lab/graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "src/lab/graph_trail.h"
#include "src/lab/number_text.h"
#include "src/lab/trace_text.h"
#include "src/lab/usage_error.h"

namespace gradlab {
namespace {

// Replays the events of a run up to a moment.
class GraphBuilder {
 public:
  void take(const trace::Event& event) {
    step_ = event.step;
    std::visit([this](const auto& body) { on(body); }, event.body);
  }

  void finish(Graph& graph) {
    for (GraphNode& node : nodes_) {
      for (GraphSaved& saved : node.saved) saved.version_now = tensor(saved.tensor).version;
    }
    graph.nodes = in_order();
    std::set<int> below;  // nodes that an edge leads to
    for (const GraphNode& node : graph.nodes) {
      for (const GraphEdge& edge : node.edges) below.insert(edge.to);
    }
    for (const GraphTensor& tensor : tensors_) {
      const bool is_root = tensor.grad_fn != 0 && !below.contains(tensor.grad_fn);
      if (tensor.is_named || (is_root && !has_name(tensor.grad_fn))) graph.tensors.push_back(tensor);
    }
  }

 private:
  void on(const trace::TensorMade& made) {
    GraphTensor& made_tensor = tensor(made.tensor);
    made_tensor.shape = made.content.shape;
    made_tensor.requires_grad = made.requires_grad;
    made_tensor.version = made.version;
  }
  void on(const trace::NodeMade& made) {
    GraphNode& made_node = node(made.node);
    made_node.name = made.name;
    made_node.is_custom_function = made.is_custom_function;
    made_node.variable = made.variable;
    made_node.edges.clear();
    for (std::size_t i = 0; i < made.next_functions.size(); ++i) {
      const trace::Edge& edge = made.next_functions[i];
      GraphEdge drawn = {edge.node, edge.input_nr, std::nullopt};
      if (i < made.next_shapes.size()) drawn.shape = made.next_shapes[i];
      made_node.edges.push_back(std::move(drawn));
    }
  }
  void on(const trace::GradFnSet& set) {
    GraphTensor& owner = tensor(set.tensor);
    owner.grad_fn = set.node;
    owner.output_nr = set.output_nr;
    owner.requires_grad = true;
  }
  void on(const trace::TensorSaved& saved) {
    if (saved.node == 0) return;
    node(saved.node)
        .saved.push_back(
            {saved.tensor, saved.by, saved.attribute, saved.version, saved.version, SavedState::kUnchanged, 0, saved.content});
    tensor(saved.tensor).version = saved.version;
  }
  void on(const trace::TensorWritten& written) {
    version_moved(written.tensor, written.version_after);
    for (const std::string& name : written.shared_with) version_moved(name, written.version_after);
  }
  void on(const trace::GhostWrite& written) { mark(written.tensor, SavedState::kOverwritten); }
  void on(const trace::SavedFreed& freed) {
    for (GraphSaved& saved : node(freed.node).saved) saved.state = SavedState::kFreed;
  }
  void on(const trace::GradAccumulated& accumulated) { tensor(accumulated.tensor).grad = accumulated.grad; }
  void on(const trace::TensorState& state) {
    GraphTensor& seen = tensor(state.tensor);
    seen.is_named = true;
    seen.shape = state.content.shape;
    seen.version = state.version;
    seen.requires_grad = state.requires_grad;
    seen.grad_fn = state.grad_fn;
    seen.grad = state.grad;
    forgive(state);
  }
  void on(const trace::KernelLaunched&) {}
  void on(const trace::TensorUnpacked&) {}
  void on(const trace::NodeBegan&) {}
  void on(const trace::NodeEnded&) {}
  void on(const trace::ErrorRaised&) {}

  GraphTensor& tensor(const std::string& name) {
    const auto [place, is_new] = tensor_places_.emplace(name, tensors_.size());
    if (is_new) {
      tensors_.emplace_back().name = name;
      tensors_.back().is_named = false;
    }
    return tensors_[place->second];
  }

  GraphNode& node(int number) {
    const auto [place, is_new] = node_places_.emplace(number, nodes_.size());
    if (is_new) nodes_.emplace_back().number = number;
    return nodes_[place->second];
  }

  bool has_name(int node) const {
    return std::any_of(tensors_.begin(), tensors_.end(),
                       [&](const GraphTensor& tensor) { return tensor.is_named && tensor.grad_fn == node; });
  }

  void version_moved(const std::string& name, std::uint32_t version) {
    tensor(name).version = version;
    mark(name, SavedState::kStale);
  }

  // A write that autograd counted says more than one that it did not.
  void mark(const std::string& written, SavedState state) {
    for (GraphNode& owner : nodes_) {
      for (GraphSaved& saved : owner.saved) {
        if (saved.tensor != written || saved.state == SavedState::kFreed) continue;
        if (saved.state == SavedState::kUnchanged) saved.written_in = step_;
        if (saved.state != SavedState::kStale) saved.state = state;
      }
    }
  }

  // What was written back as it had been is stale no longer, unless a check of the version will refuse it.
  void forgive(const trace::TensorState& now) {
    for (GraphNode& owner : nodes_) {
      for (GraphSaved& saved : owner.saved) {
        const bool is_refused = saved.state == SavedState::kStale && saved.by != trace::SavedBy::kCtxAttribute;
        if (saved.tensor != now.tensor || saved.state == SavedState::kFreed || is_refused) continue;
        if (saved.content == now.content) saved.state = SavedState::kUnchanged;
      }
    }
  }

  // Newest first, as backward runs them, but none before one that leads to it; accumulators last.
  std::vector<GraphNode> in_order() const {
    std::map<int, int> leading;  // how many edges of nodes still to come lead to a node
    for (const GraphNode& node : nodes_) {
      for (const GraphEdge& edge : node.edges) ++leading[edge.to];
    }
    std::set<std::pair<bool, int>> ready;  // an accumulator is false; the last entry is next
    const auto rank = [](const GraphNode& node) { return std::pair(node.variable.empty(), node.number); };
    for (const GraphNode& node : nodes_) {
      if (leading[node.number] == 0) ready.insert(rank(node));
    }
    std::vector<GraphNode> order;
    while (!ready.empty()) {
      const int number = ready.extract(std::prev(ready.end())).value().second;
      order.push_back(nodes_[node_places_.at(number)]);
      for (const GraphEdge& edge : order.back().edges) {
        if (--leading[edge.to] > 0) continue;
        const auto next = node_places_.find(edge.to);
        if (next != node_places_.end()) ready.insert(rank(nodes_[next->second]));
      }
    }
    // Only a cycle leaves some: no program makes one, but a file may.
    for (const GraphNode& node : nodes_) {
      if (leading[node.number] > 0) order.push_back(node);
    }
    return order;
  }

  std::vector<GraphTensor> tensors_;
  std::map<std::string, std::size_t> tensor_places_;
  std::vector<GraphNode> nodes_;
  std::map<int, std::size_t> node_places_;
  int step_ = 0;
};

}  // namespace

UsageError no_such_step(const trace::Trace& trace, std::string_view given) {
  std::string problem = fmt::format("{} has no step {}", trace.program, given);
  if (!trace.runs.empty()) {
    for (const trace::Step& step : trace.runs.front().steps) problem += fmt::format("\n  {:>2}  {}", step.number, step.code);
  }
  return UsageError(problem);
}

int default_graph_step(const trace::Run& run) {
  int step = 0;
  for (const trace::Step& candidate : run.steps) {
    if (candidate.role == StepRole::kBackward && step != 0) break;
    step = candidate.number;
  }
  return step;
}

Graph graph_of(const trace::Trace& trace, int step) {
  static const trace::Run kNothing;
  const trace::Run& run = trace.runs.empty() ? kNothing : trace.runs.front();
  const auto at =
      std::find_if(run.steps.begin(), run.steps.end(), [&](const trace::Step& s) { return s.number == step; });
  if (at == run.steps.end()) throw no_such_step(trace, std::to_string(step));
  std::set<int> past;
  for (auto s = run.steps.begin(); s != at + 1; ++s) past.insert(s->number);

  Graph graph = {.program = trace.program, .step = *at, .error = {}, .tensors = {}, .nodes = {}, .trail_ends = {}};
  GraphBuilder builder;
  std::vector<trace::Event> events;
  for (const trace::Event& event : run.events) {
    if (!past.contains(event.step)) continue;
    builder.take(event);
    events.push_back(event);
    if (const auto* error = trace::as<trace::ErrorRaised>(event); error != nullptr && event.step == step)
      graph.error = *error;
  }
  builder.finish(graph);
  graph.trail_ends = trail_ends(run, events, graph.tensors);
  return graph;
}

std::string graph_title(const Graph& graph) {
  const auto moment = [&] {
    switch (graph.step.role) {
      case StepRole::kSetup:
        return "the set-up";
      case StepRole::kForward:
        return "forward";
      case StepRole::kWrite:
        return "the write";
      case StepRole::kBackward:
        return "backward";
      case StepRole::kObserve:
        break;
    }
    return "looking";
  };
  const std::string error = graph.error ? fmt::format(", which raised {}", graph.error->type) : "";
  return fmt::format("{}, after {}{} (step {})", printable(graph.program), moment(), printable(error), graph.step.number);
}

std::string saved_text(const GraphSaved& saved) {
  const std::string what = saved.by == trace::SavedBy::kCtxAttribute
                               ? fmt::format("ctx.{} = {}", saved.attribute, saved.tensor)
                               : fmt::format("saved {}", saved.tensor);
  return fmt::format("{}, version {}", what, saved.version);
}

std::string saved_state_text(const GraphSaved& saved) {
  switch (saved.state) {
    case SavedState::kUnchanged:
      return "";
    case SavedState::kFreed:
      return "freed";
    case SavedState::kStale:
      return fmt::format("STALE: now at version {}, written in step {}{}", saved.version_now, saved.written_in,
                         saved.by == trace::SavedBy::kCtxAttribute ? "; not checked" : "");
    case SavedState::kOverwritten:
      return fmt::format("STALE: overwritten in step {}, version still {}", saved.written_in, saved.version_now);
  }
  return "";
}

bool is_stale(const GraphSaved& saved) {
  return saved.state == SavedState::kStale || saved.state == SavedState::kOverwritten;
}

std::string node_id(int number) { return fmt::format("node{}", number); }

std::string grad_text(const GraphTensor& tensor) {
  return tensor.grad ? float_text(Numbers{tensor.grad->values, tensor.grad->count}) : "None";
}

std::string gradient_shape_text(const GraphEdge& edge) { return edge.shape ? shape_text(*edge.shape) : ""; }

std::string input_text(const GraphEdge& edge) {
  return edge.input_nr == 0 ? "" : fmt::format(", input {}", edge.input_nr);
}

std::string shape_text(const std::vector<std::int64_t>& shape) { return fmt::format("[{}]", fmt::join(shape, ", ")); }

}  // namespace gradlab
