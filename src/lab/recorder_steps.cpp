// What a Recorder does between steps: it gives names and compares with what it saw before.
#include <algorithm>
#include <concepts>
#include <functional>
#include <utility>

#include "src/lab/recorder.h"

namespace gradlab {
namespace {

// Calls `rename` on every tensor's name in an event.
struct ForEachName {
  const std::function<void(std::string&)>& rename;

  void operator()(trace::TensorMade& event) const {
    rename(event.tensor);
    rename(event.base);
    for (std::string& name : event.inputs) rename(name);
  }
  void operator()(trace::NodeMade& event) const { rename(event.variable); }
  void operator()(trace::KernelLaunched& event) const {
    for (std::string& name : event.tensors) rename(name);
  }
  void operator()(trace::TensorWritten& event) const {
    rename(event.tensor);
    for (std::string& name : event.shared_with) rename(name);
  }
  template <class T>
  requires requires(T event) {
    { event.tensor } -> std::convertible_to<std::string>;
  }
  void operator()(T& event) const { rename(event.tensor); }
  template <class T>
  void operator()(T&) const {}
};

// `text` with each "#3" in it replaced: names of unnamed tensors are made of those of others.
std::string with_names(const std::string& text, const std::function<const std::string&(int)>& name_of) {
  std::string result;
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] != '#') {
      result += text[i++];
      continue;
    }
    int number = 0;
    for (++i; i < text.size() && text[i] >= '0' && text[i] <= '9'; ++i) number = 10 * number + (text[i] - '0');
    result += name_of(number);
  }
  return result;
}

}  // namespace

void Recorder::begin_step(const Step& step) {
  step_ = step.number;
  run_.steps.push_back(
      {step.number, step.role, std::string(step.code.text), std::string(step.code.file), step.code.line});
  first_event_ = run_.events.size();
  first_known_ = known_.size();
  inputs_.clear();
  before_write_.reset();
  running_.clear();  // an error ends backward without a word
}

void Recorder::end_step(const std::vector<Named>& named, const std::optional<ErrorValue>& error) {
  running_.clear();
  give_names(named);
  if (error) run_.events.push_back({step_, trace::ErrorRaised{error->type, error->message}});
  find_ghost_writes();
  add_states(named);
}

std::string Recorder::free_name(const std::string& wish) const {
  const auto is_taken = [&](const std::string& name) {
    return std::ranges::any_of(known_, [&](const Known& known) { return known.name == name; });
  };
  std::string name = wish;
  for (int i = 2; is_taken(name); ++i) name = wish + "(" + std::to_string(i) + ")";
  return name;
}

void Recorder::give_names(const std::vector<Named>& named) {
  for (const Named& slot : named) {
    if (!slot.tensor.defined()) continue;
    const int number = number_of(slot.tensor);
    Known& tensor = known(number);
    // One that got a name keeps it; a name that now stands for another tensor says since when.
    if (std::exchange(tensor.is_named, true) || static_cast<std::size_t>(number) <= first_known_) continue;
    const bool is_taken =
        std::ranges::any_of(known_, [&](const Known& other) { return &other != &tensor && other.name == slot.name; });
    tensor.name = is_taken ? std::string(slot.name) + "@" + std::to_string(step_) : std::string(slot.name);
  }
  const std::function name_of = [this](int number) -> const std::string& { return known(number).name; };
  for (std::size_t i = first_known_; i < known_.size(); ++i) {
    Known& tensor = known_[i];
    if (tensor.name.starts_with('#')) tensor.name = free_name(with_names(tensor.made_by, name_of));
  }
  const std::function rename = [&](std::string& name) {
    if (name.starts_with('#')) name = known(std::stoi(name.substr(1))).name;
  };
  for (std::size_t i = first_event_; i < run_.events.size(); ++i) {
    std::visit(ForEachName{rename}, run_.events[i].body);
  }
}

void Recorder::find_ghost_writes() {
  for (Known& tensor : known_) {
    if (!tensor.is_named && tensor.saved_by.empty()) continue;
    const trace::Content before = tensor.content;
    const std::uint32_t version_before = tensor.version;
    look_at(tensor);
    if (tensor.version != version_before || tensor.content == before || !before.is_initialized) continue;
    add(trace::GhostWrite{tensor.name, tensor.version, before, tensor.content, tensor.saved_by});
  }
}

void Recorder::add_states(const std::vector<Named>& named) {
  for (const Named& slot : named) {
    if (!slot.tensor.defined()) continue;
    const Known& tensor = known(number_of(slot.tensor));
    const TensorImpl& impl = *slot.tensor.impl();
    trace::TensorState state{.tensor = tensor.name,
                             .requires_grad = impl.requires_grad || impl.grad_fn,
                             .is_leaf = !impl.grad_fn,
                             .grad_fn = impl.grad_fn ? see(*impl.grad_fn).number : 0,
                             .version = tensor.version,
                             .content = tensor.content,
                             .grad = std::nullopt};
    if (impl.extras && impl.extras->grad.defined()) state.grad = content_now(impl.extras->grad);
    const auto [known_state, is_new] = states_.try_emplace(state.tensor, state);
    if (!is_new && known_state->second == state) continue;
    known_state->second = state;
    add(std::move(state));
  }
}

}  // namespace gradlab
