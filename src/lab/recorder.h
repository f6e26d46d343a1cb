// An Observer that turns what the engine reports into events.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "src/autograd/observer.h"
#include "src/lab/event.h"
#include "src/lab/step.h"
#include "src/lab/value.h"

namespace gradlab {

// NOTE [Recorder]
// A recorder holds tensors and nodes weakly, so that a recorded run frees and reuses what an unrecorded one does; a
// weak reference keeps the object's address from being given to another one, and addresses are how things are
// recognised. While a step runs, events call tensors "#3"; at its end those that the program has named get that name,
// the others one that tells how they were made. Writes behind the version counter are found at the end of a step too:
// what is saved or named is compared with the content it had when it was last looked at.
class Recorder final : public Observer {
 public:
  // A name of the program's and the tensor it stands for, which may be undefined.
  struct Named {
    std::string_view name;
    Tensor tensor;
  };

  explicit Recorder(trace::RunKind kind, std::string title = "");

  // Around each step. `named`: all names, in the program's order. REQUIRES: the recorder is installed in between only.
  void begin_step(const Step& step);
  void end_step(const std::vector<Named>& named, const std::optional<ErrorValue>& error);

  // REQUIRES: no step is open. The recorder is of no use afterwards.
  trace::Run take() { return std::move(run_); }

  void takes(std::initializer_list<const Tensor*> inputs) override;
  void takes(const TensorList& inputs) override;
  void created(const Tensor& result, Origin origin, std::string_view name, const Node* node,
               const Tensor& source) override;
  void launched(std::string_view kernel, Device device, std::int64_t elements,
                std::initializer_list<const void*> pointers) override;
  void kept(const Node& node, const Tensor& tensor, KeptBy by, std::string_view name) override;
  void kept_by_hand(const Tensor& tensor) override;
  void writes(const Tensor& tensor) override;
  void wrote(const Tensor& tensor, std::uint32_t before, const Node* node) override;
  void unpacked(const Node* node, const Tensor& tensor, KeptBy by, Unpacked outcome, std::uint32_t expected) override;
  void runs(const Node& node, const TensorList& grad_outputs) override;
  void ran(const Node& node, const TensorList& grad_inputs) override;
  void accumulated(const Tensor& leaf, const Tensor& grad) override;
  void freed(const Node& node) override;

 private:
  // A tensor seen so far; its number is its place in the list, from 1.
  struct Known {
    WeakRef<TensorImpl> impl;
    Tensor alias;  // of a saved output, which may die before the alias that its node keeps
    std::string name;
    std::string made_by;  // what it is called when the program has no name for it
    trace::Content content;
    std::uint32_t version = 0;
    std::vector<int> saved_by;
    bool is_named = false;
    std::size_t made_at = 0;  // its TensorMade among the events of the open step, plus one
  };
  struct Kept {
    int tensor;
    trace::SavedBy by;
    std::string attribute;
    bool is_read;  // in the present call of its node
  };
  struct KnownNode {
    WeakRef<Node> node;
    int number;
    std::vector<Kept> kept;
  };

  void add(trace::Body body) { run_.events.push_back({step_, std::move(body)}); }
  // The number of a tensor, which is a new one if need be, and the text that stands for it until the step ends.
  int number_of(const Tensor& tensor);
  std::string label_of(const Tensor& tensor);
  Known& known(int number) { return known_[static_cast<std::size_t>(number - 1)]; }
  // The tensor itself, or undefined when it is gone.
  static Tensor alive(const Known& known);
  trace::Content content_now(const Tensor& tensor) const;
  void look_at(Known& known);
  bool is_uninitialized(const Tensor& tensor) const;
  void mark_initialized(const Tensor& tensor);

  KnownNode& see(const Node& node);
  void set_grad_fn(const Tensor& tensor, const Node& node);
  Kept* find_kept(KnownNode& owner, const Tensor& tensor, trace::SavedBy by);
  static trace::SavedBy saved_by(KeptBy by);
  // Whether what happens is backward's own arithmetic.
  bool is_inside_backward() const;

  void give_names(const std::vector<Named>& named);
  std::string free_name(const std::string& wish) const;
  void find_ghost_writes();
  void add_states(const std::vector<Named>& named);

  trace::Run run_;
  int step_ = 0;
  std::size_t first_event_ = 0;  // of the open step
  std::size_t first_known_ = 0;
  std::deque<Known> known_;
  std::unordered_map<const TensorImpl*, int> numbers_;
  std::unordered_map<const Node*, KnownNode> nodes_;
  std::unordered_map<const Storage*, WeakRef<Storage>> uninitialized_;
  std::vector<std::string> inputs_;  // what `takes` said
  std::optional<std::pair<const TensorImpl*, trace::Content>> before_write_;
  std::vector<int> running_;
  std::map<std::string, trace::TensorState, std::less<>> states_;
};

}  // namespace gradlab
