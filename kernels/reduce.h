// Reductions. Results have the same bits from run to run, whatever the number of threads.
#pragma once

#include "kernels/device.h"
#include "kernels/strided.h"

namespace gradlab {

enum class ReduceOp : std::uint8_t { kSum, kMax, kMin };  // max and min: nan wins

// Reduces `in` over the dimensions where out's stride is 0 and in's extent is not 1 by way of being reduced:
// `reduced[d]` says which dimensions are summed over; out.strides has an entry for every dimension of `extent`, and those of
// reduced dimensions are ignored. An empty sum is 0; an empty max or min is the caller's to refuse. out and in have the same
// dtype. float32 sums keep an error that grows like log n (pairwise or several accumulators).
void reduce(Device device, ReduceOp op, Extent extent, const bool* reduced, Operand out, ConstOperand in);

}  // namespace gradlab
