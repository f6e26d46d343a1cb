// One backward run.
#pragma once

#include <cstdint>
#include <queue>
#include <vector>

#include "src/autograd/node.h"

namespace gradlab {

class Observer;

// NOTE [Scratch]
// What a run needs to know of a node (how many gradients are still to come, and their sum so far) is kept in the node, marked
// with the run's number: no table, and nothing to clear for nodes that the run never met. A backward inside a backward may
// meet a node that the outer run is waiting for; it puts the outer run's notes aside and lays them back when it ends.
class GraphTask {
 public:
  // `captures`: the edges whose gradients are asked for; when there are any, only nodes on a path to one of them run.
  GraphTask(bool keep_graph, bool create_graph);
  ~GraphTask();
  GraphTask(const GraphTask&) = delete;
  GraphTask& operator=(const GraphTask&) = delete;

  // Runs from `roots` with their gradients. `outputs` as for execute(): captured gradients come back in their order when
  // `accumulate_grad` is false; otherwise the gradients go to those leaves only. Empty: everything runs.
  TensorList run(const EdgeList& roots, TensorList gradients, const EdgeList& outputs, bool accumulate_grad);

  // Whether the innermost run, if there is one, needs a gradient at `node`.
  static bool should_execute(const Node& node);
  // Marks `node` as needed by the innermost run. For CopySlices, whose inner node has an edge that the walk did not see.
  static void mark_needed(Node& node);
  // Whether the innermost run runs only part of the graph.
  static bool is_selective();
  // The node whose apply is running, or null.
  static const Node* running_node();

 private:
  struct Capture {
    Node* node;
    std::uint32_t input_nr;
    std::size_t output;
  };
  struct Displaced {
    Node* node;
    Node::Scratch scratch;
  };
  // Newest first; leaves' accumulators, which carry the largest number, as soon as they are ready.
  struct OlderNode {
    bool operator()(const Node* a, const Node* b) const { return a->sequence_nr() < b->sequence_nr(); }
  };

  void visit(Node& node);
  void count_dependencies(const EdgeList& roots);
  void select_needed(const EdgeList& roots, const EdgeList& outputs, bool accumulate_grad);
  void deliver(const Edge& edge, Tensor&& gradient);
  void evaluate(Node& node);
  TensorList call(Node& node, TensorList&& grads);
  // Calls the node and lets go of `grads`, so that a gradient which nobody else holds may be added to in place, and of the
  // node's saved tensors. The observed form stands apart: without an observer a node pays for a test alone.
  TensorList run_node(Node& node, TensorList&& grads);
  [[gnu::cold, gnu::noinline]] TensorList run_observed(Node& node, TensorList&& grads, Observer& observer);
  bool knows(const Node& node) const { return node.scratch_.task_id == id_; }
  void forget(const EdgeList& roots);

  std::uint64_t id_;
  bool keep_graph_;
  bool create_graph_;
  bool selective_ = false;
  GraphTask* outer_;
  Node* running_ = nullptr;
  const Node* only_root_ = nullptr;  // its hooks run even where nothing asked for lies behind it
  std::priority_queue<Node*, std::vector<Node*>, OlderNode> ready_;
  std::vector<Capture> captures_;
  TensorList captured_;
  std::vector<Displaced> displaced_;
};

// Checks gradients against the edges they go to, and makes them fit: summed to the shape, cast, moved to the device. Source:
// section 3.9 of PyTorch's semantics. `node_name` is the node that returned them.
void validate_gradients(const EdgeList& edges, TensorList& gradients, const Node* node);

}  // namespace gradlab
