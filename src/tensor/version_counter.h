// How autograd knows that a tensor was written.
#pragma once

#include <cstdint>

#include "src/tensor/ref.h"

namespace gradlab {

// NOTE [Versions]
// A version counts in-place operations on one family of tensors: a tensor, its views, its detach() and theirs share a
// counter; data() and clone() start one of their own. It counts operations, not changes, whatever the grad mode is. A raw
// kernel writes through a pointer and has no counter to move: there is no way to reach one from a pointer, so such a write
// stays invisible by construction.
class VersionCounter {
 public:
  VersionCounter() : count_(make_ref<std::uint32_t>(0u)) {}

  std::uint32_t current() const { return *count_; }
  void bump() { ++*count_; }
  friend bool operator==(const VersionCounter&, const VersionCounter&) = default;

 private:
  Ref<std::uint32_t> count_;
};

}  // namespace gradlab
