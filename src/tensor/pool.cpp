#include "src/tensor/pool.h"

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace gradlab {

namespace {

constexpr std::size_t kFirstChunkBytes = std::size_t{64} << 10;
constexpr std::size_t kChunkBytes = std::size_t{2} << 20;

}  // namespace

void Pool::refill() {
  const bool first = begin_ == nullptr;
  const std::size_t bytes = first ? kFirstChunkBytes : kChunkBytes;
  void* chunk = std::aligned_alloc(first ? std::size_t{64} : kChunkBytes, bytes);
  if (chunk == nullptr) throw std::bad_alloc();
#if defined(__linux__)
  if (!first) madvise(chunk, bytes, MADV_HUGEPAGE);
#endif
  begin_ = static_cast<char*>(chunk);
  end_ = begin_ + bytes;
}

}  // namespace gradlab
