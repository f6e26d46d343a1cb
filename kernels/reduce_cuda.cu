// Reductions on CUDA, without atomics on values: the same bits from run to run, on any device.
// Shapes: `kept` outputs, each over `reduced` elements (reduce_loops.h). A block of kThreads serves `width` neighbouring
// outputs: thread t works for output t % width on every (kThreads / width)-th element, so that neighbouring threads read
// neighbouring elements: width 1 where those lie along the reduced dimensions, kColumns where they lie along the kept ones.
// Few outputs are shared by several blocks; the last one to finish adds up what all of them left.
#include <algorithm>
#include <cstdint>

#include "kernels/cuda_check.h"
#include "kernels/reduce_loops.h"
#include "kernels/reduce_math.h"

namespace gradlab::cuda {
namespace {

constexpr int kColumns = 32;
constexpr std::int64_t kMaxShared = 1024;     // blocks that share outputs
constexpr std::int64_t kMinPerBlock = 4096;   // elements a sharing block reduces at least

struct Work {
  ReduceLoops loops;
  int width;                 // outputs of a block
  std::int64_t parts;        // blocks that share an output
  std::int64_t part_length;  // elements of each
  bool dense;                // the reduced elements of an output lie side by side
};

// A call, so that its divisions are compiled once.
__device__ __noinline__ std::int64_t offset_of(const Iteration& loop, int operand, std::int64_t i) {
  std::int64_t sum = 0;
  for (int d = loop.rank - 1; d > 0; --d) {
    sum += i % loop.sizes[d] * loop.strides[operand][d];
    i /= loop.sizes[d];
  }
  return sum + i * loop.strides[operand][0];
}

// Elements [begin, end) side by side, by all threads of the block: kVectors loads of 16 bytes a thread at a time, each element
// in a sum of its own, which the accumulator takes over after kFlush steps.
template <class T>
__device__ Accumulator<T> reduce_dense(ReduceOp op, const T* in, std::int64_t begin, std::int64_t end) {
  using A = Accumulator<T>;
  constexpr int kLanes = 16 / sizeof(T), kVectors = sizeof(T) < 4 ? 1 : 4;
  struct alignas(16) Vector {
    T lanes[kLanes];
  };
  A total = reduction_identity<A>(op);
  std::int64_t i = begin;
  constexpr std::int64_t kStep = std::int64_t{kThreads} * kVectors * kLanes, kFlush = 16;
  while (reinterpret_cast<std::uintptr_t>(in + i) % 16 == 0 && i + kStep <= end) {
    T sums[kVectors][kLanes];
#pragma unroll
    for (auto& row : sums) {
      for (T& sum : row) sum = reduction_identity<T>(op);
    }
    const std::int64_t steps = min((end - i) / kStep, kFlush);
    for (std::int64_t step = 0; step < steps; ++step, i += kStep) {
      Vector vectors[kVectors];
#pragma unroll
      for (int v = 0; v < kVectors; ++v) {
        vectors[v] = reinterpret_cast<const Vector*>(in + i)[v * kThreads + threadIdx.x];
      }
#pragma unroll
      for (int v = 0; v < kVectors; ++v) {
#pragma unroll
        for (int l = 0; l < kLanes; ++l) sums[v][l] = reduced_pair(op, sums[v][l], vectors[v].lanes[l]);
      }
    }
#pragma unroll
    for (auto& row : sums) {
      for (T sum : row) total = reduced_pair(op, total, static_cast<A>(sum));
    }
  }
  for (i += threadIdx.x; i < end; i += kThreads) total = reduced_pair(op, total, static_cast<A>(in[i]));
  return total;
}

// The values of all threads that work for one output, in the thread whose number is below width.
template <class A>
__device__ A combine(ReduceOp op, A value, int width) {
  __shared__ A shared[kThreads];
  __syncthreads();
  shared[threadIdx.x] = value;
  for (int half = kThreads / 2; half >= width; half /= 2) {
    __syncthreads();
    if (static_cast<int>(threadIdx.x) < half) {
      shared[threadIdx.x] = reduced_pair(op, shared[threadIdx.x], shared[threadIdx.x + half]);
    }
  }
  return shared[threadIdx.x];
}

// Block (group, part) = (blockIdx.x / parts, blockIdx.x % parts).
template <class T>
__global__ void __launch_bounds__(kThreads)
    reduce_kernel(ReduceOp op, const __grid_constant__ Work work, T* out, const T* in, Accumulator<T>* partials,
                  unsigned* finished) {
  using A = Accumulator<T>;
  const std::int64_t group = blockIdx.x / work.parts, part = blockIdx.x % work.parts;
  const int lane = static_cast<int>(threadIdx.x) % work.width, row = static_cast<int>(threadIdx.x) / work.width;
  const int rows = kThreads / work.width;
  const std::int64_t output = group * work.width + lane;
  const bool present = output < work.loops.kept.count;
  const std::int64_t begin = part * work.part_length;
  const std::int64_t end = min(begin + work.part_length, work.loops.reduced.count);
  A total = reduction_identity<A>(op);
  if (present) {
    const T* from = in + offset_of(work.loops.kept, 1, output);
    if (work.dense && work.width == 1) {
      total = reduce_dense(op, from, begin, end);
    } else {
      for (std::int64_t i = begin + row; i < end; i += rows) {
        total = reduced_pair(op, total, static_cast<A>(from[offset_of(work.loops.reduced, 0, i)]));
      }
    }
  }
  total = combine(op, total, work.width);
  T* to = out + (present ? offset_of(work.loops.kept, 0, output) : 0);
  if (work.parts == 1) {
    if (row == 0 && present) *to = static_cast<T>(total);
    return;
  }
  if (row == 0) partials[blockIdx.x * work.width + lane] = total;
  __threadfence();  // what this block left is seen before its count
  __syncthreads();
  __shared__ bool last;
  if (threadIdx.x == 0) last = atomicAdd(&finished[group], 1u) == work.parts - 1;
  __syncthreads();
  if (!last) return;
  __threadfence();
  total = reduction_identity<A>(op);
  for (std::int64_t p = row; p < work.parts; p += rows) {
    const volatile A* left = partials + (group * work.parts + p) * work.width + lane;
    total = reduced_pair(op, total, static_cast<A>(*left));
  }
  total = combine(op, total, work.width);
  if (row == 0 && present) *to = static_cast<T>(total);
  if (threadIdx.x == 0) finished[group] = 0;
}

// Where sharing blocks leave their parts; kept for the life of the process, its counts 0 between launches.
struct Workspace {
  void* partials;
  unsigned* finished;
};

const Workspace& workspace() {
  static const Workspace instance = [] {
    Workspace made{};
    GRADLAB_CUDA(cudaMalloc(&made.partials, kMaxShared * kColumns * sizeof(double)));
    GRADLAB_CUDA(cudaMalloc(&made.finished, kMaxShared * sizeof(unsigned)));
    GRADLAB_CUDA(cudaMemsetAsync(made.finished, 0, kMaxShared * sizeof(unsigned)));
    return made;
  }();
  return instance;
}

Work work_for(const ReduceLoops& loops) {
  const Iteration &kept = loops.kept, &reduced = loops.reduced;
  const std::int64_t outputs = kept.count, length = reduced.count;
  Work work{loops, 1, 1, length, reduced.is_dense(0)};
  const bool columns = kept.sizes[kept.rank - 1] > 1 && kept.strides[1][kept.rank - 1] == 1 && !work.dense;
  if (columns || (length < kThreads / 4 && outputs > 1)) work.width = kColumns;
  const std::int64_t groups = (outputs + work.width - 1) / work.width;
  const std::int64_t wanted = length * work.width / kMinPerBlock;
  work.parts = std::clamp<std::int64_t>(wanted, 1, std::max<std::int64_t>(1, kMaxShared / groups));
  // Parts begin at 16-byte borders where the first does.
  work.part_length = ((length + work.parts - 1) / work.parts + 15) / 16 * 16;
  return work;
}

}  // namespace

void reduce(ReduceOp op, Extent extent, const bool* reduced, Operand out, ConstOperand in) {
  const ReduceLoops loops = reduce_loops(extent, reduced, out.strides, in.strides);
  if (loops.kept.count == 0) return;
  const Work work = work_for(loops);
  const std::int64_t groups = (work.loops.kept.count + work.width - 1) / work.width;
  const Workspace shared = work.parts > 1 ? workspace() : Workspace{};
  with_dtype(in.dtype, [&](auto type) {
    using T = typename decltype(type)::type;
    reduce_kernel<T><<<static_cast<unsigned>(groups * work.parts), kThreads>>>(
        op, work, static_cast<T*>(out.data), static_cast<const T*>(in.data), static_cast<Accumulator<T>*>(shared.partials),
        shared.finished);
  });
  check_launch("reduce_kernel");
}

}  // namespace gradlab::cuda
