// Internal to elementwise_cuda.cu: how a thread reads and writes its kCount elements of a strided loop.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <initializer_list>

#include "kernels/cuda_check.h"
#include "kernels/elementwise_math.h"
#include "kernels/iteration.h"

namespace gradlab::cuda {
namespace {

constexpr int kCount = 4;                 // elements of a thread
constexpr int kTile = kThreads * kCount;  // of a block
constexpr int kSide = 32;                 // of a square tile
static_assert(kSide * kSide == kTile);

// Loops with more elements, or an operand that spans more, are launched in parts: the device counts in 32 bits.
constexpr std::int64_t kMaxSpan = std::int64_t{1} << 30;

// An input: data in device memory, or one value for all elements.
template <class T>
struct Input {
  const T* data;
  T value;
};

template <class T>
Input<T> input(const ConstOperand& operand) {
  return {static_cast<const T*>(operand.data), T()};
}

template <class T>
Input<T> input(double scalar) {
  return {nullptr, rounded_to<T>(scalar)};
}

// Division of numbers below 2^31 by a size known before the launch, as a multiplication and a shift.
struct Divisor {
  unsigned factor;
  int shift;

  __device__ unsigned quotient(unsigned number) const { return (__umulhi(number, factor) + number) >> shift; }
};

// REQUIRES: 0 < size < 2^31.
Divisor divisor_of(std::int64_t size) {
  const int shift = std::bit_width(static_cast<std::uint64_t>(size - 1));
  const std::int64_t rest = (std::int64_t{1} << shift) - size;
  return {static_cast<unsigned>((rest << 32) / size + 1), shift};
}

// kTransposed: its smaller steps are from row to row; the threads load their tile column by column and then exchange.
enum class Access : std::uint8_t { kDense, kConstant, kStrided, kTransposed };

struct LoopOperand {
  Access access;
  bool even_rows;  // every row begins row_stride after the one before
  unsigned row_stride, column_stride;
  unsigned outer_strides[kMaxRank];
  std::int64_t begin;  // the offset of the part's first element
};

// A loop, or a part of one, as the device sees it: a matrix with its rows along the innermost dimension, cut into tiles of
// kTile elements and 2^width_bits columns, a block each. Strides are of 32 bits; negative ones wrap around.
struct Loop {
  LoopOperand operands[kMaxOperands];
  bool packs;  // one row, and every operand is a constant or begins where a Pack may
  unsigned rows, columns;
  int width_bits;
  unsigned row_step, column_step;  // from a thread's element to its next
  unsigned tiles_in_row;
  Divisor tiles_divisor;
  int outer_rank;  // dimensions but the innermost
  unsigned outer_sizes[kMaxRank];
  Divisor outer_divisors[kMaxRank];
};

// A thread's elements, side by side.
template <class T>
struct alignas(sizeof(T) * kCount < 16 ? sizeof(T) * kCount : 16) Pack {
  T elements[kCount];
};

// Whether this block moves packs: four neighbours a thread. Otherwise a thread's elements are as far apart as there are
// threads, so that those of neighbouring threads stay together.
__device__ bool moves_packs(const Loop& loop) { return loop.packs && (blockIdx.x + 1) * kTile <= loop.columns; }

__device__ unsigned pack_number() { return blockIdx.x * kThreads + threadIdx.x; }

// Calls f(k, offset) for each of a thread's elements.
template <class F>
__device__ void for_each_element(const Loop& loop, const LoopOperand& operand, const F& f) {
  const bool transposed = operand.access == Access::kTransposed;
  const unsigned tile_row = loop.tiles_divisor.quotient(blockIdx.x);
  const unsigned tile_column = blockIdx.x - tile_row * loop.tiles_in_row;
  const unsigned down = threadIdx.x >> loop.width_bits, along = threadIdx.x - (down << loop.width_bits);
  const unsigned row = tile_row * (kTile >> loop.width_bits) + (transposed ? along : down);
  const unsigned column = (tile_column << loop.width_bits) + (transposed ? down : along);
  const unsigned row_step = transposed ? loop.column_step : loop.row_step;
  const unsigned column_step = transposed ? loop.row_step : loop.column_step;
  unsigned offsets[kCount];
#pragma unroll
  for (int k = 0; k < kCount; ++k) {
    offsets[k] = (column + k * column_step) * operand.column_stride;
    if (operand.even_rows) offsets[k] += (row + k * row_step) * operand.row_stride;
  }
  if (!operand.even_rows) {
    unsigned rest[kCount];
#pragma unroll
    for (int k = 0; k < kCount; ++k) rest[k] = row + k * row_step;
#pragma unroll 1
    for (int d = loop.outer_rank - 1; d >= 0; --d) {
#pragma unroll
      for (int k = 0; k < kCount; ++k) {
        const unsigned quotient = loop.outer_divisors[d].quotient(rest[k]);
        offsets[k] += (rest[k] - quotient * loop.outer_sizes[d]) * operand.outer_strides[d];
        rest[k] = quotient;
      }
    }
  }
#pragma unroll
  for (int k = 0; k < kCount; ++k) {
    if (row + k * row_step < loop.rows && column + k * column_step < loop.columns) f(k, static_cast<int>(offsets[k]));
  }
}

template <class T>
__device__ void load(const Loop& loop, int operand, const Input<T>& in, T (&values)[kCount]) {
  const LoopOperand& from = loop.operands[operand];
  const T* data = in.data + from.begin;
  if (in.data == nullptr || from.access == Access::kConstant) {
    const T value = in.data == nullptr ? in.value : *data;
#pragma unroll
    for (T& v : values) v = value;
    return;
  }
  if (moves_packs(loop)) {
    const Pack<T> pack = reinterpret_cast<const Pack<T>*>(data)[pack_number()];
#pragma unroll
    for (int k = 0; k < kCount; ++k) values[k] = pack.elements[k];
    return;
  }
#pragma unroll
  for (T& v : values) v = T();
  for_each_element(loop, from, [&](int k, int offset) { values[k] = data[offset]; });
}

// After load: gives each thread its own elements of a transposed operand. All threads of the block take part.
template <class T>
__device__ void exchange(const Loop& loop, int operand, T (&values)[kCount]) {
  if (loop.operands[operand].access != Access::kTransposed) return;
  __shared__ T tile[kSide][kSide + 1];  // one column too many, so that a column lies in different banks
  const unsigned x = threadIdx.x % kSide, y = threadIdx.x / kSide;
  __syncthreads();  // another operand may have used it
#pragma unroll
  for (int k = 0; k < kCount; ++k) tile[x][y + k * (kThreads / kSide)] = values[k];
  __syncthreads();
#pragma unroll
  for (int k = 0; k < kCount; ++k) values[k] = tile[y + k * (kThreads / kSide)][x];
}

template <class R, class T>
__device__ void store(const Loop& loop, R* out, const T (&values)[kCount]) {
  R* data = out + loop.operands[0].begin;
  if (moves_packs(loop)) {
    Pack<R> pack;
#pragma unroll
    for (int k = 0; k < kCount; ++k) pack.elements[k] = static_cast<R>(values[k]);
    reinterpret_cast<Pack<R>*>(data)[pack_number()] = pack;
    return;
  }
  for_each_element(loop, loop.operands[0], [&](int k, int offset) { data[offset] = static_cast<R>(values[k]); });
}

ConstOperand as_input(const Operand& out) { return {out.data, out.dtype, out.strides}; }

// Whether an operand's steps along dimension `outer` are smaller than along `inner`.
bool is_transposed(const Iteration& loop, int operand, int outer, int inner) {
  const std::int64_t step = std::abs(loop.strides[operand][outer]);
  return step != 0 && step < std::abs(loop.strides[operand][inner]);
}

// The dimension, long enough for tiles, along which an input takes smaller steps than along the innermost one; -1 if none.
int transposed_dimension(const Iteration& loop, int operands) {
  const int inner = loop.rank - 1;
  int found = -1;
  for (int o = 1; o < operands && found < 0; ++o) {
    for (int d = 0; d < inner; ++d) {
      if (std::min(loop.sizes[d], loop.sizes[inner]) < kSide / 2) continue;
      if (is_transposed(loop, o, d, found < 0 ? inner : found)) found = d;
    }
  }
  return found;
}

// Makes dimension `moved` the one next to the innermost.
void move_inward(Iteration& loop, int moved) {
  const auto rotate = [&](std::int64_t* values) { std::rotate(values + moved, values + moved + 1, values + loop.rank - 1); };
  rotate(loop.sizes);
  for (auto& strides : loop.strides) rotate(strides);
}

bool has_even_rows(const Iteration& loop, int operand) {
  for (int d = 0; d + 2 < loop.rank; ++d) {
    if (loop.strides[operand][d] != loop.strides[operand][d + 1] * loop.sizes[d + 1]) return false;
  }
  return true;
}

// operands: the output, then the inputs; `part` begins at begins[o] of operand o.
Loop loop_over(Iteration part, const std::int64_t* begins, std::initializer_list<ConstOperand> operands) {
  const int count = static_cast<int>(operands.size()), inner = part.rank - 1;
  const int transposed = transposed_dimension(part, count);
  if (transposed >= 0) move_inward(part, transposed);
  Loop loop{};
  loop.packs = true;
  for (int o = 0; o < count; ++o) {
    LoopOperand& operand = loop.operands[o];
    operand.access = Access::kStrided;
    if (part.is_dense(o)) operand.access = Access::kDense;
    if (o > 0 && part.is_constant(o)) operand.access = Access::kConstant;
    if (o > 0 && transposed >= 0 && is_transposed(part, o, inner - 1, inner)) operand.access = Access::kTransposed;
    const auto element_bytes = static_cast<std::int64_t>(size_bytes(operands.begin()[o].dtype));
    const auto address = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(operands.begin()[o].data));
    const bool at_border = (address + begins[o] * element_bytes) % std::min<std::int64_t>(16, element_bytes * kCount) == 0;
    if (operand.access != Access::kConstant && !(operand.access == Access::kDense && at_border)) loop.packs = false;
    operand.even_rows = has_even_rows(part, o);
    operand.row_stride = inner > 0 ? static_cast<unsigned>(part.strides[o][inner - 1]) : 0;
    operand.column_stride = static_cast<unsigned>(part.strides[o][inner]);
    for (int d = 0; d < inner; ++d) operand.outer_strides[d] = static_cast<unsigned>(part.strides[o][d]);
    operand.begin = begins[o];
  }
  loop.columns = static_cast<unsigned>(part.sizes[inner]);
  loop.rows = static_cast<unsigned>(part.count / part.sizes[inner]);
  const unsigned wanted = loop.rows == 1 ? kTile : transposed >= 0 ? kSide : std::min<unsigned>(kThreads, loop.columns);
  loop.width_bits = std::bit_width(wanted - 1);
  loop.row_step = kThreads >> loop.width_bits;
  loop.column_step = loop.row_step == 0 ? kThreads : 0;
  loop.tiles_in_row = block_count(loop.columns, std::int64_t{1} << loop.width_bits);
  loop.tiles_divisor = divisor_of(loop.tiles_in_row);
  loop.outer_rank = inner;
  for (int d = 0; d < inner; ++d) {
    loop.outer_sizes[d] = static_cast<unsigned>(part.sizes[d]);
    loop.outer_divisors[d] = divisor_of(part.sizes[d]);
  }
  return loop;
}

bool fits(const Iteration& loop, int operands) {
  bool small = loop.count <= kMaxSpan;
  for (int o = 0; o < operands; ++o) {
    std::int64_t span = 0;
    for (int d = 0; d < loop.rank; ++d) span += (loop.sizes[d] - 1) * std::abs(loop.strides[o][d]);
    small = small && span <= kMaxSpan;
  }
  return small;
}

// Calls f with the loop, or with its halves and their halves until each part fits.
void for_each_part(const Iteration& loop, const std::int64_t* begins, std::initializer_list<ConstOperand> operands,
                   const std::function<void(const Loop&)>& f) {
  const int count = static_cast<int>(operands.size());
  if (fits(loop, count)) return f(loop_over(loop, begins, operands));
  int d = 0;
  while (loop.sizes[d] == 1) ++d;
  const std::int64_t half = loop.sizes[d] / 2, first = half < kTile ? half : half / kTile * kTile;  // packs stay packs
  Iteration part = loop;
  std::int64_t part_begins[kMaxOperands];
  for (const std::int64_t begin : {std::int64_t{0}, first}) {
    part.sizes[d] = begin == 0 ? first : loop.sizes[d] - first;
    part.count = loop.count / loop.sizes[d] * part.sizes[d];
    for (int o = 0; o < count; ++o) part_begins[o] = begins[o] + begin * loop.strides[o][d];
    for_each_part(part, part_begins, operands, f);
  }
}

// Calls f with each part of the loop. operands: the output, then the inputs.
void for_each_part(Extent extent, std::initializer_list<ConstOperand> operands, const std::function<void(const Loop&)>& f) {
  const int count = static_cast<int>(operands.size());
  const std::int64_t *strides[kMaxOperands] = {}, begins[kMaxOperands] = {};
  for (int o = 0; o < count; ++o) strides[o] = operands.begin()[o].strides;
  for_each_part(collapse(extent, strides, count), begins, operands, f);
}

unsigned blocks_for(const Loop& loop) { return loop.tiles_in_row * block_count(loop.rows, kTile >> loop.width_bits); }

}  // namespace
}  // namespace gradlab::cuda
