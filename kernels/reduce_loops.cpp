#include "kernels/reduce_loops.h"

#include <stdexcept>

namespace gradlab {

ReduceLoops reduce_loops(Extent extent, const bool* reduced, const std::int64_t* out_strides,
                         const std::int64_t* in_strides) {
  struct Part {
    int rank = 0;
    std::int64_t sizes[kMaxRank], out[kMaxRank], in[kMaxRank];
  } kept, gone;
  for (int d = 0; d < extent.rank; ++d) {
    if (extent.sizes[d] == 1) continue;
    Part& part = reduced[d] ? gone : kept;
    if (part.rank == kMaxRank) throw std::length_error("kernels: more than 32 dimensions of a size other than 1");
    part.sizes[part.rank] = extent.sizes[d];
    part.out[part.rank] = out_strides[d];
    part.in[part.rank] = in_strides[d];
    ++part.rank;
  }
  const std::int64_t* kept_strides[] = {kept.out, kept.in};
  const std::int64_t* gone_strides[] = {gone.in};
  return {collapse({kept.rank, kept.sizes}, kept_strides, 2), collapse({gone.rank, gone.sizes}, gone_strides, 1)};
}

}  // namespace gradlab
