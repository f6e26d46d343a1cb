// Memory for the engine's small objects: tensors, counters and nodes come and go by the million.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <new>

namespace gradlab {

// NOTE [Pool]
// Blocks of up to kLargest bytes are cut from chunks that are never returned, and freed blocks wait in a list of their size,
// so that taking and giving back a block is two loads and a store. Chunks of 2 MiB ask for huge pages: the first touch of
// fresh memory would otherwise cost more than recording a node. A block may be freed on another thread than it came from.
// Under AddressSanitizer every block is its own malloc, so that a use after free is seen.
class Pool {
 public:
  static void* allocate(std::size_t size) {
    const std::size_t slot = slot_of(size);
    if (kBypass || slot >= kSlots) return allocate_large(size);
    Block*& head = free_[slot];
    if (head != nullptr) {
      Block* block = head;
      head = block->next;
      return block;
    }
    const std::size_t bytes = slot * kGranule;
    if (static_cast<std::size_t>(end_ - begin_) < bytes) refill();
    void* block = begin_;
    begin_ += bytes;
    return block;
  }

  static void deallocate(void* data, std::size_t size) noexcept {
    const std::size_t slot = slot_of(size);
    if (kBypass || slot >= kSlots) return std::free(data);
    Block* block = static_cast<Block*>(data);
    block->next = free_[slot];
    free_[slot] = block;
  }

 private:
  struct Block {
    Block* next;
  };

  static constexpr std::size_t kGranule = 16;
  static constexpr std::size_t kLargest = 1024;
  static constexpr std::size_t kSlots = kLargest / kGranule + 1;
#if defined(__SANITIZE_ADDRESS__)
  static constexpr bool kBypass = true;
#else
  static constexpr bool kBypass = false;
#endif

  static constexpr std::size_t slot_of(std::size_t size) { return (size + kGranule - 1) / kGranule; }
  static void* allocate_large(std::size_t size) {
    void* data = std::malloc(size);
    if (data == nullptr) throw std::bad_alloc();
    return data;
  }
  static void refill();

  static constinit thread_local Block* free_[kSlots];
  static constinit thread_local char* begin_;
  static constinit thread_local char* end_;
};

inline constinit thread_local Pool::Block* Pool::free_[Pool::kSlots] = {};
inline constinit thread_local char* Pool::begin_ = nullptr;
inline constinit thread_local char* Pool::end_ = nullptr;

}  // namespace gradlab
