// Internal to kernels/: the shortest loop over up to four strided operands.
#pragma once

#include <cstdint>

#include "kernels/strided.h"

namespace gradlab {

// More dimensions than this cannot be left over after collapse, unless there are more than 2^32 elements.
inline constexpr int kMaxRank = 32;
inline constexpr int kMaxOperands = 4;

struct Iteration {
  int rank;                      // at least 1
  std::int64_t count;            // elements in all
  std::int64_t sizes[kMaxRank];  // outermost first
  std::int64_t strides[kMaxOperands][kMaxRank];

  // Whether element i of the loop lies at data + i.
  bool is_dense(int operand) const {
    std::int64_t expected = 1;
    for (int d = rank - 1; d >= 0; --d) {
      if (strides[operand][d] != expected) return false;
      expected *= sizes[d];
    }
    return true;
  }
  // Whether there is one value for all elements.
  bool is_constant(int operand) const {
    for (int d = 0; d < rank; ++d) {
      if (strides[operand][d] != 0) return false;
    }
    return true;
  }
};

// Elements of `extent`.
inline std::int64_t element_count(Extent extent) {
  std::int64_t count = 1;
  for (int d = 0; d < extent.rank; ++d) count *= extent.sizes[d];
  return count;
}

// Drops dimensions of size 1, orders the rest by the strides of the first operand (largest outermost) and merges neighbours
// that every operand steps through as one. Only the order of the elements changes, which no elementwise kernel can see.
// Throws std::length_error when more than kMaxRank dimensions are left.
Iteration collapse(Extent extent, const std::int64_t* const* strides, int operands);

// A place in a loop, with each operand's offset there in elements.
class Cursor {
 public:
  // At element `first` of the loop, which must outlive the cursor.
  Cursor(const Iteration& loop, int operands, std::int64_t first);

  std::int64_t offset(int operand) const { return offsets_[operand]; }
  // Elements from here to the end of the innermost dimension, which an operand steps through by stride(operand).
  std::int64_t run() const { return loop_.sizes[loop_.rank - 1] - index_[loop_.rank - 1]; }
  std::int64_t stride(int operand) const { return loop_.strides[operand][loop_.rank - 1]; }
  // REQUIRES: count <= run().
  void advance(std::int64_t count);

 private:
  const Iteration& loop_;
  int operands_;
  std::int64_t index_[kMaxRank];
  std::int64_t offsets_[kMaxOperands] = {};
};

}  // namespace gradlab
