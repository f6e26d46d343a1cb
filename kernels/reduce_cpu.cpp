// Reductions on the CPU. Every order of additions depends on the shape alone: chunks have a fixed length and are added up in
// order, so neither the number of threads nor chance changes a bit.
#include "kernels/reduce.h"

#include <algorithm>
#include <vector>

#include "kernels/backends.h"
#include "kernels/parallel.h"
#include "kernels/reduce_loops.h"
#include "kernels/reduce_math.h"

namespace gradlab::cpu {
namespace {

constexpr std::int64_t kChunk = 64 * 1024;  // elements one thread reduces at a time
constexpr std::int64_t kBlock = 1024;       // elements added in T, in kLanes sums, before the accumulator takes over
constexpr int kLanes = 32;
constexpr std::int64_t kTile = 256;         // neighbouring outputs reduced together
constexpr std::int64_t kWorkPerThread = 128 * 1024;  // elements

template <ReduceOp op, class T>
Accumulator<T> reduce_dense_block(const T* in, std::int64_t n) {
  using A = Accumulator<T>;
  A total = reduction_identity<A>(op);
  std::int64_t i = 0;
  if (n >= kLanes) {
    T lanes[kLanes];
    for (int l = 0; l < kLanes; ++l) lanes[l] = in[l];
    for (i = kLanes; i + kLanes <= n; i += kLanes) {
      for (int l = 0; l < kLanes; ++l) lanes[l] = reduced_pair(op, lanes[l], in[i + l]);
    }
    A sums[kLanes];
    for (int l = 0; l < kLanes; ++l) sums[l] = static_cast<A>(lanes[l]);
    for (int half = kLanes / 2; half > 0; half /= 2) {
      for (int l = 0; l < half; ++l) sums[l] = reduced_pair(op, sums[l], sums[l + half]);
    }
    total = sums[0];
  }
  for (; i < n; ++i) total = reduced_pair(op, total, static_cast<A>(in[i]));
  return total;
}

template <ReduceOp op, class T>
Accumulator<T> reduce_run(const T* in, std::int64_t stride, std::int64_t n) {
  using A = Accumulator<T>;
  A total = reduction_identity<A>(op);
  if (stride == 1) {
    for (std::int64_t i = 0; i < n; i += kBlock) {
      total = reduced_pair(op, total, reduce_dense_block<op>(in + i, std::min(kBlock, n - i)));
    }
    return total;
  }
  for (std::int64_t i = 0; i < n; ++i) total = reduced_pair(op, total, static_cast<A>(in[i * stride]));
  return total;
}

// Elements [begin, end) of a loop over one operand.
template <ReduceOp op, class T>
Accumulator<T> reduce_range(const Iteration& loop, const T* in, std::int64_t begin, std::int64_t end) {
  Accumulator<T> total = reduction_identity<Accumulator<T>>(op);
  Cursor cursor(loop, 1, begin);
  for (std::int64_t i = begin, run; i < end; i += run) {
    run = std::min(cursor.run(), end - i);
    total = reduced_pair(op, total, reduce_run<op>(in + cursor.offset(0), cursor.stride(0), run));
    cursor.advance(run);
  }
  return total;
}

// Few outputs, each by all threads.
template <ReduceOp op, class T>
Accumulator<T> reduce_in_chunks(const Iteration& loop, const T* in) {
  using A = Accumulator<T>;
  if (loop.count <= kChunk) return reduce_range<op>(loop, in, 0, loop.count);
  struct alignas(8) Partial {  // never std::vector<bool>
    A value;
  };
  std::vector<Partial> partials(static_cast<std::size_t>((loop.count + kChunk - 1) / kChunk));
  parallel_for(loop.count, 2 * kChunk, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; i += kChunk) {
      partials[static_cast<std::size_t>(i / kChunk)].value = reduce_range<op>(loop, in, i, std::min(i + kChunk, end));
    }
  });
  A total = reduction_identity<A>(op);
  for (const Partial& partial : partials) total = reduced_pair(op, total, partial.value);
  return total;
}

// Outputs [begin, end) whose inputs lie side by side: whole rows of them are taken at a time.
template <ReduceOp op, class T>
void reduce_tiles(const ReduceLoops& loops, T* out, const T* in, std::int64_t begin, std::int64_t end) {
  using A = Accumulator<T>;
  Cursor kept(loops.kept, 2, begin);
  for (std::int64_t i = begin, width; i < end; i += width) {
    width = std::min({kept.run(), end - i, kTile});
    A totals[kTile];
    std::fill_n(totals, width, reduction_identity<A>(op));
    Cursor row(loops.reduced, 1, 0);
    for (std::int64_t r = 0; r < loops.reduced.count; ++r, row.advance(1)) {
      const T* from = in + kept.offset(1) + row.offset(0);
      for (std::int64_t j = 0; j < width; ++j) totals[j] = reduced_pair(op, totals[j], static_cast<A>(from[j]));
    }
    for (std::int64_t j = 0; j < width; ++j) out[kept.offset(0) + j * kept.stride(0)] = static_cast<T>(totals[j]);
    kept.advance(width);
  }
}

template <ReduceOp op, class T>
void reduce_each(const ReduceLoops& loops, T* out, const T* in, std::int64_t begin, std::int64_t end) {
  Cursor kept(loops.kept, 2, begin);
  for (std::int64_t i = begin; i < end; ++i, kept.advance(1)) {
    out[kept.offset(0)] = static_cast<T>(reduce_range<op>(loops.reduced, in + kept.offset(1), 0, loops.reduced.count));
  }
}

template <ReduceOp op, class T>
void reduce_typed(const ReduceLoops& loops, T* out, const T* in) {
  const std::int64_t outputs = loops.kept.count, length = loops.reduced.count;
  if (length > kWorkPerThread && outputs < 64) {
    Cursor kept(loops.kept, 2, 0);
    for (std::int64_t i = 0; i < outputs; ++i, kept.advance(1)) {
      out[kept.offset(0)] = static_cast<T>(reduce_in_chunks<op>(loops.reduced, in + kept.offset(1)));
    }
    return;
  }
  const bool tiles = loops.kept.strides[1][loops.kept.rank - 1] == 1 && loops.kept.sizes[loops.kept.rank - 1] > 1 &&
                     loops.reduced.strides[0][loops.reduced.rank - 1] != 1;
  const std::int64_t grain = std::max<std::int64_t>(tiles ? kTile : 1, kWorkPerThread / std::max<std::int64_t>(1, length));
  parallel_for(outputs, grain, [&](std::int64_t begin, std::int64_t end) {
    tiles ? reduce_tiles<op>(loops, out, in, begin, end) : reduce_each<op>(loops, out, in, begin, end);
  });
}

template <class F>
void with_reduce_op(ReduceOp op, const F& f) {
  switch (op) {
    case ReduceOp::kSum: return f(Constant<ReduceOp::kSum>{});
    case ReduceOp::kMax: return f(Constant<ReduceOp::kMax>{});
    case ReduceOp::kMin: return f(Constant<ReduceOp::kMin>{});
  }
}

bool everything_dense(Extent extent, const bool* reduced, const std::int64_t* strides) {
  std::int64_t expected = 1;
  for (int d = extent.rank - 1; d >= 0; --d) {
    if (extent.sizes[d] == 1) continue;
    if (!reduced[d] || strides[d] != expected) return false;
    expected *= extent.sizes[d];
  }
  return true;
}

}  // namespace

void reduce(ReduceOp op, Extent extent, const bool* reduced, Operand out, ConstOperand in) {
  const std::int64_t count = element_count(extent);
  with_dtype(in.dtype, [&](auto type) {
    using T = typename decltype(type)::type;
    T* to = static_cast<T*>(out.data);
    const T* from = static_cast<const T*>(in.data);
    with_reduce_op(op, [&](auto constant) {
      constexpr ReduceOp kOp = decltype(constant)::value;
      if (count <= kBlock && everything_dense(extent, reduced, in.strides)) {
        *to = static_cast<T>(reduce_dense_block<kOp>(from, count));
      } else {
        reduce_typed<kOp>(reduce_loops(extent, reduced, out.strides, in.strides), to, from);
      }
    });
  });
}

}  // namespace gradlab::cpu
