#include "kernels/iteration.h"

#include <algorithm>
#include <cstdlib>
#include <stdexcept>

namespace gradlab {
namespace {

// Whether dimension `a` belongs outside dimension `b`: by the first operand whose strides tell them apart.
bool is_outer(const Iteration& loop, int operands, int a, int b) {
  for (int o = 0; o < operands; ++o) {
    const std::int64_t stride_a = std::abs(loop.strides[o][a]), stride_b = std::abs(loop.strides[o][b]);
    if (stride_a == 0 || stride_b == 0 || stride_a == stride_b) continue;
    return stride_a > stride_b;
  }
  return false;
}

void swap_dimensions(Iteration& loop, int operands, int a, int b) {
  std::swap(loop.sizes[a], loop.sizes[b]);
  for (int o = 0; o < operands; ++o) std::swap(loop.strides[o][a], loop.strides[o][b]);
}

bool step_as_one(const Iteration& loop, int operands, int outer, int inner) {
  for (int o = 0; o < operands; ++o) {
    if (loop.strides[o][outer] != loop.strides[o][inner] * loop.sizes[inner]) return false;
  }
  return true;
}

}  // namespace

Iteration collapse(Extent extent, const std::int64_t* const* strides, int operands) {
  Iteration loop;  // filled up to rank
  loop.rank = 0;
  loop.count = 1;
  for (int d = 0; d < extent.rank; ++d) {
    loop.count *= extent.sizes[d];
    if (extent.sizes[d] == 1) continue;
    if (loop.rank == kMaxRank) throw std::length_error("kernels: more than 32 dimensions of a size other than 1");
    loop.sizes[loop.rank] = extent.sizes[d];
    for (int o = 0; o < operands; ++o) loop.strides[o][loop.rank] = strides[o][d];
    ++loop.rank;
  }
  for (int d = 1; d < loop.rank; ++d) {
    for (int e = d; e > 0 && is_outer(loop, operands, e, e - 1); --e) swap_dimensions(loop, operands, e, e - 1);
  }
  int last = 0;
  for (int d = 1; d < loop.rank; ++d) {
    if (step_as_one(loop, operands, last, d)) {
      loop.sizes[last] *= loop.sizes[d];
    } else {
      ++last;
      loop.sizes[last] = loop.sizes[d];
    }
    for (int o = 0; o < operands; ++o) loop.strides[o][last] = loop.strides[o][d];
  }
  if (loop.rank == 0) {  // one element
    loop.sizes[0] = 1;
    for (int o = 0; o < operands; ++o) loop.strides[o][0] = 1;
  }
  loop.rank = last + 1;
  return loop;
}

Cursor::Cursor(const Iteration& loop, int operands, std::int64_t first) : loop_(loop), operands_(operands) {
  for (int d = loop.rank - 1; d >= 0; --d) {
    index_[d] = 0;
    if (first == 0) continue;  // also where a size is 0
    index_[d] = first % loop.sizes[d];
    first /= loop.sizes[d];
    for (int o = 0; o < operands; ++o) offsets_[o] += index_[d] * loop.strides[o][d];
  }
}

void Cursor::advance(std::int64_t count) {
  int d = loop_.rank - 1;
  index_[d] += count;
  for (int o = 0; o < operands_; ++o) offsets_[o] += count * loop_.strides[o][d];
  for (; d > 0 && index_[d] == loop_.sizes[d]; --d) {
    index_[d] = 0;
    ++index_[d - 1];
    for (int o = 0; o < operands_; ++o) {
      offsets_[o] += loop_.strides[o][d - 1] - loop_.sizes[d] * loop_.strides[o][d];
    }
  }
}

}  // namespace gradlab
