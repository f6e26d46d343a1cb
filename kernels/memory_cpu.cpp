// Host memory. Blocks of up to 4 KiB come from slabs and lie in lists of their thread, without a lock; larger ones lie in
// lists under one lock. Each list holds one size class, linked through the free blocks themselves.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <vector>

#include "kernels/backends.h"
#include "kernels/size_text.h"

namespace gradlab::cpu {
namespace {

#if defined(__SANITIZE_ADDRESS__)
constexpr bool kKeepBlocks = false;  // a block used after its free must be seen
#else
constexpr bool kKeepBlocks = true;
#endif

constexpr std::size_t kAlignment = 64;
constexpr std::size_t kHugePage = std::size_t{2} << 20;
constexpr std::size_t kMaxSmall = 4096;
constexpr int kSmallClasses = 7;                   // 64, 128, ..., 4096
constexpr int kLargeClasses = 8 * (48 - 12);       // eight to an octave, up to 2^48
constexpr std::size_t kMaxSize = std::size_t{1} << 47;
constexpr std::size_t kFirstSlab = std::size_t{64} << 10;
constexpr std::size_t kLargestSlab = std::size_t{8} << 20;

struct FreeBlock {
  FreeBlock* next;
};

int small_class(std::size_t size_bytes) { return static_cast<int>(std::bit_width((size_bytes - 1) / kAlignment)); }
std::size_t small_size(int index) { return kAlignment << index; }

// Sizes of large classes are k * 2^s with k from 9 to 16: at most an eighth is wasted.
int large_shift(std::size_t size_bytes) { return static_cast<int>(std::bit_width(size_bytes - 1)) - 4; }
std::size_t large_size(std::size_t size_bytes) {
  const int shift = large_shift(size_bytes);
  return ((size_bytes - 1) >> shift << shift) + (std::size_t{1} << shift);
}
int large_class(std::size_t rounded) {
  const int shift = large_shift(rounded);
  return 8 * (shift - 9) + static_cast<int>((rounded - 1) >> shift) - 8;
}

// One thread's blocks; no destructor, so that it is reached without a check. ThreadExit hands it over.
struct ThreadCache {
  FreeBlock* free[kSmallClasses];
  char* slab_next;
  char* slab_end;
  std::atomic<std::int64_t> balance_bytes;  // handed out minus given back; written by its thread only
  bool registered;
  bool ended;

  void push(int index, void* data) {
    auto* block = static_cast<FreeBlock*>(data);
    block->next = free[index];
    free[index] = block;
  }
};

constinit thread_local ThreadCache cache{};

struct Shared {
  std::mutex mutex;
  std::vector<ThreadCache*> threads;
  std::int64_t balance_of_ended_threads = 0;
  FreeBlock* small[kSmallClasses] = {};  // left by ended threads
  std::size_t slab_bytes = 0;
  FreeBlock* large[kLargeClasses] = {};
  std::size_t kept_bytes = 0;
};

// Never destroyed: blocks are given back until the very end of the process.
Shared& shared() {
  static Shared& instance = *new Shared;
  return instance;
}

struct ThreadExit {
  ~ThreadExit() {
    Shared& all = shared();
    const std::lock_guard lock(all.mutex);
    for (; cache.slab_end - cache.slab_next >= static_cast<std::ptrdiff_t>(kAlignment); cache.slab_next += kAlignment) {
      cache.push(0, cache.slab_next);
    }
    for (int i = 0; i < kSmallClasses; ++i) {
      while (FreeBlock* block = cache.free[i]) {
        cache.free[i] = block->next;
        block->next = all.small[i];
        all.small[i] = block;
      }
    }
    all.balance_of_ended_threads += cache.balance_bytes.exchange(0);
    std::erase(all.threads, &cache);
    cache.registered = false;
    cache.ended = true;
  }
};

// The first count of a thread, and those of a thread that is ending.
[[gnu::noinline]] void count_unregistered(std::int64_t bytes) {
  Shared& all = shared();
  if (cache.ended) {
    const std::lock_guard lock(all.mutex);
    all.balance_of_ended_threads += bytes;
    return;
  }
  static thread_local ThreadExit at_exit;
  static_cast<void>(at_exit);
  cache.balance_bytes.store(bytes, std::memory_order_relaxed);
  const std::lock_guard lock(all.mutex);
  all.threads.push_back(&cache);
  cache.registered = true;
}

void count(std::int64_t bytes) {
  if (!cache.registered) return count_unregistered(bytes);
  cache.balance_bytes.store(cache.balance_bytes.load(std::memory_order_relaxed) + bytes, std::memory_order_relaxed);
}

// Memory that could be had without swapping, or SIZE_MAX where the system does not say.
std::size_t available_bytes() {
  std::size_t kilobytes = 0;
  bool found = false;
  if (std::FILE* file = std::fopen("/proc/meminfo", "r")) {
    char line[128];
    while (!found && std::fgets(line, sizeof line, file)) found = std::sscanf(line, "MemAvailable: %zu", &kilobytes) == 1;
    std::fclose(file);
  }
  return found ? kilobytes * 1024 : SIZE_MAX;
}

[[noreturn]] void refuse(std::size_t size_bytes) {
  const std::size_t available = available_bytes();
  throw DeviceError("out of memory on the CPU: asked for " + size_text(size_bytes) +
                    (available == SIZE_MAX ? "" : ", " + size_text(available) + " free"));
}

void* from_system(std::size_t size_bytes) {
  const bool huge = size_bytes >= 2 * kHugePage;
  void* data = nullptr;
  if (posix_memalign(&data, huge ? kHugePage : kAlignment, size_bytes) != 0) return nullptr;
#if defined(MADV_HUGEPAGE)
  if (huge) madvise(data, size_bytes, MADV_HUGEPAGE);  // fewer page faults; only a hint
#endif
  return data;
}

// Larger blocks are asked about first: the system would promise the memory and end the process at the first write.
void* from_system_or_throw(std::size_t size_bytes) {
  const auto fits = [&] { return size_bytes < (std::size_t{64} << 20) || size_bytes <= available_bytes(); };
  void* data = fits() ? from_system(size_bytes) : nullptr;
  if (data == nullptr) {
    release_cached_memory();
    data = fits() ? from_system(size_bytes) : nullptr;
  }
  if (data == nullptr) refuse(size_bytes);
  return data;
}

std::size_t keep_limit() {
  static const std::size_t limit = [] {
    const long pages = sysconf(_SC_PHYS_PAGES), page_size = sysconf(_SC_PAGESIZE);
    if (pages <= 0 || page_size <= 0) return std::size_t{0};
    return std::min(std::size_t{1} << 30, static_cast<std::size_t>(pages) / 4 * static_cast<std::size_t>(page_size));
  }();
  return limit;
}

[[gnu::noinline]] void* small_from_slab(int index) {
  const std::size_t size = small_size(index);
  if (cache.slab_end - cache.slab_next < static_cast<std::ptrdiff_t>(size)) {
    Shared& all = shared();
    std::unique_lock lock(all.mutex);
    if (FreeBlock* block = all.small[index]) {
      all.small[index] = nullptr;
      cache.free[index] = block->next;
      return block;
    }
    const std::size_t slab = std::clamp(std::bit_floor(all.slab_bytes / 2), kFirstSlab, kLargestSlab);
    all.slab_bytes += slab;
    lock.unlock();
    for (; cache.slab_end - cache.slab_next >= static_cast<std::ptrdiff_t>(kAlignment); cache.slab_next += kAlignment) {
      cache.push(0, cache.slab_next);
    }
    cache.slab_next = static_cast<char*>(from_system_or_throw(slab));
    cache.slab_end = cache.slab_next + slab;
  }
  void* block = cache.slab_next;
  cache.slab_next += size;
  return block;
}

void* allocate_large(std::size_t size_bytes) {
  const std::size_t rounded = large_size(size_bytes);
  Shared& all = shared();
  {
    const std::lock_guard lock(all.mutex);
    FreeBlock*& head = all.large[large_class(rounded)];
    if (FreeBlock* block = head) {
      head = block->next;
      all.kept_bytes -= rounded;
      return block;
    }
  }
  return from_system_or_throw(rounded);
}

void deallocate_large(void* data, std::size_t size_bytes) noexcept {
  const std::size_t rounded = large_size(size_bytes);
  if (rounded > keep_limit()) return std::free(data);
  Shared& all = shared();
  bool full;
  {
    const std::lock_guard lock(all.mutex);
    full = all.kept_bytes + rounded > keep_limit();
  }
  if (full) release_cached_memory();  // what was kept is of other sizes than what is in use now
  const std::lock_guard lock(all.mutex);
  auto* block = static_cast<FreeBlock*>(data);
  block->next = all.large[large_class(rounded)];
  all.large[large_class(rounded)] = block;
  all.kept_bytes += rounded;
}

}  // namespace

void* allocate(std::size_t size_bytes) {
  if (size_bytes == 0) return nullptr;
  void* data;
  if (size_bytes > kMaxSize) refuse(size_bytes);
  if (!kKeepBlocks) {
    data = from_system_or_throw(size_bytes);
  } else if (size_bytes <= kMaxSmall) {
    const int index = small_class(size_bytes);
    if (FreeBlock* block = cache.free[index]) {
      cache.free[index] = block->next;
      data = block;
    } else {
      data = small_from_slab(index);
    }
  } else {
    data = allocate_large(size_bytes);
  }
  count(static_cast<std::int64_t>(size_bytes));
  return data;
}

void deallocate(void* data, std::size_t size_bytes) noexcept {
  if (data == nullptr) return;
  count(-static_cast<std::int64_t>(size_bytes));
  if (!kKeepBlocks) {
    std::free(data);
  } else if (size_bytes <= kMaxSmall) {
    cache.push(small_class(size_bytes), data);
  } else {
    deallocate_large(data, size_bytes);
  }
}

std::size_t allocated_bytes() noexcept {
  Shared& all = shared();
  const std::lock_guard lock(all.mutex);
  std::int64_t bytes = all.balance_of_ended_threads;
  for (const ThreadCache* thread : all.threads) bytes += thread->balance_bytes.load(std::memory_order_relaxed);
  return static_cast<std::size_t>(bytes);
}

void release_cached_memory() noexcept {
  Shared& all = shared();
  const std::lock_guard lock(all.mutex);
  for (FreeBlock*& head : all.large) {
    while (FreeBlock* block = head) {
      head = block->next;
      std::free(block);
    }
  }
  all.kept_bytes = 0;
}

}  // namespace gradlab::cpu
