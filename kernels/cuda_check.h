// Internal to the .cu files: the check of every CUDA call, and what they share.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "kernels/backends.h"

namespace gradlab::cuda {

// Throws DeviceError with the call's text and CUDA's name and words for what went wrong.
void check(cudaError_t status, const char* call);

#define GRADLAB_CUDA(call) ::gradlab::cuda::check((call), #call)

// After `kernel<<<...>>>(...)`: whether it could be launched. Failures while it runs show at the next synchronizing call.
inline void check_launch(const char* kernel) { check(cudaGetLastError(), kernel); }

inline constexpr int kThreads = 256;

inline unsigned block_count(std::int64_t work, std::int64_t work_per_block) {
  return static_cast<unsigned>((work + work_per_block - 1) / work_per_block);
}

}  // namespace gradlab::cuda
