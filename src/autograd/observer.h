// What the engine tells about itself while it runs.
#pragma once

#include <cstdint>
#include <string_view>

#include "src/autograd/node.h"

namespace gradlab {

// How a tensor came to be, or how it was kept.
// kEmpty: a factory that leaves the memory as it is.
enum class Origin : std::uint8_t { kFactory, kEmpty, kOp, kView, kDetach, kData };
enum class KeptBy : std::uint8_t { kSaveForBackward, kOp, kCtxAttribute };
enum class Unpacked : std::uint8_t { kOk, kStale, kFreed };

// NOTE [Observer]
// One observer at a time listens to a thread; the guard below installs it. Without one each report is a test of one pointer.
// Reports come in the order in which things happen. References are good for the call only; an observer that keeps a Tensor
// keeps it alive, which may change whether the engine copies a gradient or takes it over, never a value. An observer must
// not run ops while it is told, except under a guard that takes it off.
class Observer {
 public:
  virtual ~Observer() = default;

  // What is made next is computed from these tensors.
  virtual void takes(std::initializer_list<const Tensor*> /*inputs*/) {}
  virtual void takes(const TensorList& /*inputs*/) {}
  // `result` was made. `node` is its node, or null when nothing was recorded; `source` is what it was made from by a view,
  // detach or data, else undefined. `name` is that of the node it has or would have, of a custom Function's too; of a leaf
  // "tensor".
  virtual void created(const Tensor& /*result*/, Origin, std::string_view /*name*/, const Node* /*node*/,
                       const Tensor& /*source*/) {}
  // A raw kernel launch: it saw pointers, and autograd saw nothing.
  virtual void launched(std::string_view /*kernel*/, Device, std::int64_t /*elements*/,
                        std::initializer_list<const void*> /*pointers*/) {}
  // `tensor` is kept for backward by `node`, at its present version. `name` is the ctx attribute's, else empty.
  virtual void kept(const Node& /*node*/, const Tensor& /*tensor*/, KeptBy, std::string_view /*name*/) {}
  // save_for_backward of a ctx that belongs to no node: forward was called directly.
  virtual void kept_by_hand(const Tensor& /*tensor*/) {}
  // An in-place write is about to happen; then it has, and the version moved from `before`.
  virtual void writes(const Tensor& /*tensor*/) {}
  virtual void wrote(const Tensor& /*tensor*/, std::uint32_t /*before*/, const Node* /*node*/) {}
  // A kept tensor is asked for, by the node that runs (null outside backward). `tensor` is undefined if it was freed;
  // `expected` is the version it was kept at.
  virtual void unpacked(const Node* /*node*/, const Tensor& /*tensor*/, KeptBy, Unpacked, std::uint32_t /*expected*/) {}
  // A node is about to run, and has run.
  virtual void runs(const Node& /*node*/, const TensorList& /*grad_outputs*/) {}
  virtual void ran(const Node& /*node*/, const TensorList& /*grad_inputs*/) {}
  // A leaf's .grad is now `grad`.
  virtual void accumulated(const Tensor& /*leaf*/, const Tensor& /*grad*/) {}
  // A node let its saved tensors go.
  virtual void freed(const Node& /*node*/) {}

  // The thread's observer, or null. GRADLAB_UNOBSERVED: an engine without observers, for bench/ to compare with.
#ifdef GRADLAB_UNOBSERVED
  static constexpr Observer* current() { return nullptr; }
#else
  static Observer* current() { return current_; }
#endif

 private:
  friend class ObserverGuard;
  static inline constinit thread_local Observer* current_ = nullptr;
};

// Installs an observer while it lives; null takes the present one off.
class ObserverGuard {
 public:
  explicit ObserverGuard(Observer* observer) : before_(Observer::current_) { Observer::current_ = observer; }
  ~ObserverGuard() { Observer::current_ = before_; }
  ObserverGuard(const ObserverGuard&) = delete;
  ObserverGuard& operator=(const ObserverGuard&) = delete;

 private:
  Observer* before_;
};

// For launchers of raw kernels: tells the observer, if there is one.
inline void report_launch(std::string_view kernel, Device device, std::int64_t elements,
                          std::initializer_list<const void*> pointers) {
  if (Observer* observer = Observer::current()) [[unlikely]] observer->launched(kernel, device, elements, pointers);
}

}  // namespace gradlab
