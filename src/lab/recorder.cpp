#include "src/lab/recorder.h"

#include <fmt/format.h>

#include <algorithm>

#include "src/autograd/accumulate_grad.h"
#include "src/autograd/grad_mode.h"
#include "src/lab/content.h"

namespace gradlab {
namespace {

trace::Origin origin_of(Origin origin) {
  switch (origin) {
    case Origin::kFactory:
      return trace::Origin::kFactory;
    case Origin::kEmpty:
      return trace::Origin::kEmpty;
    case Origin::kOp:
      return trace::Origin::kOp;
    case Origin::kView:
      return trace::Origin::kView;
    case Origin::kDetach:
      return trace::Origin::kDetach;
    case Origin::kData:
      return trace::Origin::kData;
  }
  return {};
}

bool is_tensor_of_the_program(const Tensor& tensor) { return tensor.defined() && !tensor.impl()->is_wrapped_number; }

std::vector<std::int64_t> to_vector(const Shape& shape) { return {shape.begin(), shape.end()}; }

// "sum" of "SumBackward0", "as_strided" of "AsStridedBackward0".
std::string op_word(std::string_view node_name) {
  std::string word;
  for (const char c : node_name.substr(0, node_name.find("Backward"))) {
    const bool is_upper = c >= 'A' && c <= 'Z';
    if (is_upper && !word.empty()) word += '_';
    word += is_upper ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return word;
}

// What a tensor without a name of its own is called: "x.clone()", "SafeSquare.out".
std::string made_by(Origin origin, std::string_view name, const std::vector<std::string>& inputs,
                    const std::string& base, bool is_custom) {
  if (origin == Origin::kFactory) return "tensor";
  if (origin == Origin::kEmpty) return "empty";
  if (origin == Origin::kData) return base + ".data";
  if (origin == Origin::kDetach) return base + ".detach()";
  if (is_custom) return std::string(name.substr(0, name.find("Backward"))) + ".out";
  if (inputs.size() == 1) return inputs.front() + "." + op_word(name) + "()";
  return op_word(name) + ".out";
}

}  // namespace

Recorder::Recorder(trace::RunKind kind, std::string title) {
  run_.kind = kind;
  run_.title = std::move(title);
}

bool Recorder::is_inside_backward() const { return !running_.empty() && !GradMode::is_enabled(); }

// ---- tensors ----

int Recorder::number_of(const Tensor& tensor) {
  const auto [entry, is_new] = numbers_.try_emplace(tensor.impl(), static_cast<int>(known_.size()) + 1);
  if (is_new) {
    Known& added = known_.emplace_back();
    added.impl = tensor.ref();
    added.name = fmt::format("#{}", entry->second);
    added.made_by = "tensor";
    added.content = content_now(tensor);
    added.version = tensor.impl()->version.current();
  }
  return entry->second;
}

std::string Recorder::label_of(const Tensor& tensor) { return known(number_of(tensor)).name; }

Tensor Recorder::alive(const Known& known) {
  if (Ref<TensorImpl> impl = known.impl.lock()) return Tensor(std::move(impl));
  return known.alias;
}

bool Recorder::is_uninitialized(const Tensor& tensor) const {
  const auto found = uninitialized_.find(tensor.impl()->storage.get());
  return found != uninitialized_.end() && !found->second.expired();
}

void Recorder::mark_initialized(const Tensor& tensor) { uninitialized_.erase(tensor.impl()->storage.get()); }

trace::Content Recorder::content_now(const Tensor& tensor) const {
  return is_uninitialized(tensor) ? empty_content_of(tensor) : content_of(tensor);
}

void Recorder::look_at(Known& known) {
  const Tensor tensor = alive(known);
  if (!tensor.defined()) return;
  known.content = content_now(tensor);
  known.version = tensor.impl()->version.current();
}

void Recorder::takes(std::initializer_list<const Tensor*> inputs) {
  if (is_inside_backward()) return;
  inputs_.clear();
  for (const Tensor* input : inputs) {
    if (is_tensor_of_the_program(*input)) inputs_.push_back(label_of(*input));
  }
}

void Recorder::takes(const TensorList& inputs) {
  if (is_inside_backward()) return;
  inputs_.clear();
  for (const Tensor& input : inputs) {
    if (is_tensor_of_the_program(input)) inputs_.push_back(label_of(input));
  }
}

void Recorder::created(const Tensor& result, Origin origin, std::string_view name, const Node* node,
                       const Tensor& source) {
  if (is_inside_backward() || !is_tensor_of_the_program(result)) return;
  if (origin == Origin::kEmpty) uninitialized_[result.impl()->storage.get()] = result.impl()->storage;
  if (origin == Origin::kFactory || origin == Origin::kOp) mark_initialized(result);
  const bool is_factory = origin == Origin::kFactory || origin == Origin::kEmpty;
  std::vector<std::string> inputs = is_factory ? std::vector<std::string>() : std::exchange(inputs_, {});
  const std::string base = source.defined() ? label_of(source) : "";
  if (inputs.empty() && !base.empty()) inputs = {base};

  Known& made = known(number_of(result));
  look_at(made);
  const bool is_custom = node != nullptr ? node->is_custom_function() : name.find("Backward") + 8 == name.size();
  made.made_by = made_by(origin, name, inputs, base, is_custom);
  trace::TensorMade event{.tensor = made.name,
                          .origin = origin_of(origin),
                          .op = is_factory ? "" : std::string(name),
                          .inputs = std::move(inputs),
                          .base = base,
                          .device = device_name(result.device()),
                          .requires_grad = node != nullptr || result.impl()->requires_grad,
                          .grad_mode = GradMode::is_enabled(),
                          .version = made.version,
                          .content = made.content};
  if (made.made_at > first_event_) {
    // A Function's result was made inside its forward; now the Function hands it out.
    std::get<trace::TensorMade>(run_.events[made.made_at - 1].body) = std::move(event);
  } else {
    add(std::move(event));
    made.made_at = run_.events.size();
  }
  if (node != nullptr) set_grad_fn(result, *node);
}

void Recorder::launched(std::string_view kernel, Device device, std::int64_t elements,
                        std::initializer_list<const void*> pointers) {
  if (is_inside_backward()) return;
  trace::KernelLaunched event{std::string(kernel), device_name(device), elements, {}};
  for (const void* pointer : pointers) {
    const auto found = std::ranges::find_if(known_, [pointer](const Known& known) {
      const Tensor tensor = alive(known);
      return tensor.defined() && tensor.data_ptr() == pointer;
    });
    if (found == known_.end()) continue;
    event.tensors.push_back(found->name);
    const Tensor tensor = alive(*found);
    if (!is_uninitialized(tensor)) continue;
    mark_initialized(tensor);
    look_at(*found);
  }
  add(std::move(event));
}

// ---- nodes ----

// Names a node's edges after the nodes they lead to have been named. Nearly all of those are known: what is not is a
// leaf's accumulator, or was made before the recording began.
Recorder::KnownNode& Recorder::see(const Node& node) {
  std::vector<const Node*> open = {&node};
  while (!open.empty()) {
    const Node& next = *open.back();
    if (nodes_.contains(&next)) {
      open.pop_back();
      continue;
    }
    const std::size_t before = open.size();
    for (const auto& edge : next.next_edges()) {
      if (edge.is_valid() && !nodes_.contains(edge.function.get())) open.push_back(edge.function.get());
    }
    if (open.size() > before) continue;
    open.pop_back();
    const int number = static_cast<int>(nodes_.size()) + 1;
    nodes_[&next] = {Ref<Node>::share(const_cast<Node*>(&next)), number, {}};
    trace::NodeMade event;
    event.node = number;
    event.name = next.class_name();
    event.is_custom_function = next.is_custom_function();
    if (const auto* accumulator = dynamic_cast<const AccumulateGrad*>(&next)) {
      if (accumulator->variable().defined()) event.variable = label_of(accumulator->variable());
    }
    for (const auto& edge : next.next_edges()) {
      const Node* to = edge.function.get();
      event.next_functions.push_back({to == nullptr ? 0 : nodes_[to].number, static_cast<int>(edge.input_nr)});
      const bool has_shape = to != nullptr && edge.input_nr < to->num_inputs();
      event.next_shapes.push_back(has_shape ? to_vector(to->input_metadata(edge.input_nr).shape)
                                            : std::vector<std::int64_t>());
    }
    add(std::move(event));
  }
  return nodes_[&node];
}

void Recorder::set_grad_fn(const Tensor& tensor, const Node& node) {
  const int number = see(node).number;
  add(trace::GradFnSet{label_of(tensor), number, static_cast<int>(tensor.output_nr())});
}

void Recorder::kept(const Node& node, const Tensor& tensor, KeptBy by, std::string_view name) {
  if (!is_tensor_of_the_program(tensor)) return;
  KnownNode& owner = see(node);
  const int number = number_of(tensor);
  Known& saved = known(number);
  look_at(saved);
  if (saved.saved_by.empty() || saved.saved_by.back() != owner.number) saved.saved_by.push_back(owner.number);
  if (tensor.impl()->grad_fn.get() == &node) {
    saved.alias = make_alias(tensor, tensor.shape(), tensor.strides(), tensor.storage_offset());
  }
  owner.kept.push_back({number, saved_by(by), std::string(name), false});
  add(trace::TensorSaved{.node = owner.number,
                         .by = saved_by(by),
                         .attribute = std::string(name),
                         .tensor = saved.name,
                         .version = saved.version,
                         .content = saved.content});
}

void Recorder::kept_by_hand(const Tensor& tensor) {
  if (!is_tensor_of_the_program(tensor)) return;
  Known& saved = known(number_of(tensor));
  add(trace::TensorSaved{.node = 0,
                         .by = trace::SavedBy::kSaveForBackward,
                         .attribute = "",
                         .tensor = saved.name,
                         .version = tensor.impl()->version.current(),
                         .content = content_now(tensor)});
}

// ---- in-place writes ----

void Recorder::writes(const Tensor& tensor) {
  if (is_inside_backward()) return;
  before_write_.emplace(tensor.impl(), content_now(tensor));
}

void Recorder::wrote(const Tensor& tensor, std::uint32_t before, const Node* node) {
  if (is_inside_backward()) return;
  mark_initialized(tensor);
  Known& written = known(number_of(tensor));
  // increment_version announces nothing: what was last seen is what it was before.
  const bool is_announced = before_write_ && before_write_->first == tensor.impl();
  trace::TensorWritten event{.tensor = written.name,
                             .version_before = before,
                             .version_after = tensor.impl()->version.current(),
                             .before = is_announced ? before_write_->second : written.content,
                             .after = {},
                             .shared_with = {}};
  before_write_.reset();
  look_at(written);
  event.after = written.content;
  for (Known& other : known_) {
    const Tensor relative = alive(other);
    if (&other == &written || !relative.defined() || relative.impl()->version != tensor.impl()->version) continue;
    look_at(other);
    event.shared_with.push_back(other.name);
  }
  add(std::move(event));
  if (node == nullptr) return;
  set_grad_fn(tensor, *node);
  const Tensor base = tensor.base();
  if (base.defined() && base.impl()->grad_fn) set_grad_fn(base, *base.impl()->grad_fn);
}

}  // namespace gradlab
