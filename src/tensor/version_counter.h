// How autograd knows that a tensor was written.
#pragma once

#include <cstdint>

#include "src/tensor/storage.h"

namespace gradlab {

// NOTE [Versions]
// A version counts in-place operations on one family of tensors: a tensor, its views, its detach() and theirs share a
// counter; data() and clone() start one of their own. It counts operations, not changes, whatever the grad mode is. A raw
// kernel writes through a pointer and has no counter to move: there is no way to reach one from a pointer, so such a write
// stays invisible by construction.
// The count of the tensor that a storage was made for stands in the storage, which saves a block for each tensor; a count of
// its own stands in an empty storage.
class VersionCounter {
 public:
  // A count of its own, from 0.
  VersionCounter() : home_(make_ref<Storage>(Device::kCpu, 0)) {}
  // The count of the tensors made with `storage`.
  explicit VersionCounter(Ref<Storage> storage) : home_(std::move(storage)) {}

  std::uint32_t current() const { return home_->version_; }
  void bump() { ++home_->version_; }
  bool stands_in(const Ref<Storage>& storage) const { return home_ == storage; }
  friend bool operator==(const VersionCounter&, const VersionCounter&) = default;

 private:
  Ref<Storage> home_;
};

}  // namespace gradlab
