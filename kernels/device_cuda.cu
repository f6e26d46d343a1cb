// The CUDA device and its memory. Everything runs on the default stream, so a block may be handed out again as soon as it is
// given back: whatever still uses it comes before whatever will.
#if !defined(__CUDA_ARCH__)  // host code only: nothing for the device passes to read
#include <algorithm>
#include <atomic>
#include <bit>
#include <map>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "kernels/cuda_check.h"
#include "kernels/size_text.h"

namespace gradlab::cuda {
namespace {

constexpr char kGoOn[] = "; --device cpu works everywhere";
constexpr std::size_t kLargeUnit = std::size_t{2} << 20;  // larger blocks are multiples of 2 MiB
constexpr std::size_t kSmallest = 512;

// Sizes up to 1 MiB are rounded up to powers of two and taken from a list each; larger ones take the smallest kept block
// that is at most an eighth too large.
class Pool {
 public:
  void* allocate(std::size_t size_bytes) {
    const std::lock_guard lock(mutex_);
    if (size_bytes > total_bytes()) refuse(size_bytes);
    void* data = take_kept(size_bytes);
    if (data == nullptr) data = from_device(size_bytes);
    allocated_bytes_ += size_bytes;
    return data;
  }

  void deallocate(void* data, std::size_t size_bytes) noexcept {
    const std::lock_guard lock(mutex_);
    allocated_bytes_ -= size_bytes;
    const auto size = sizes_.find(data);
    kept_.emplace(size->second, data);
  }

  std::size_t allocated_bytes() noexcept {
    const std::lock_guard lock(mutex_);
    return allocated_bytes_;
  }

  void release() noexcept {
    const std::lock_guard lock(mutex_);
    release_kept();
  }

 private:
  static std::size_t rounded(std::size_t size_bytes) {
    if (size_bytes <= kLargeUnit / 2) return std::max(kSmallest, std::bit_ceil(size_bytes));
    return (size_bytes + kLargeUnit - 1) / kLargeUnit * kLargeUnit;
  }

  void* take_kept(std::size_t size_bytes) {
    const std::size_t size = rounded(size_bytes);
    const auto block = kept_.lower_bound(size);
    if (block == kept_.end() || block->first > size + (size < kLargeUnit ? 0 : size / 8)) return nullptr;
    void* data = block->second;
    kept_.erase(block);
    return data;
  }

  void* from_device(std::size_t size_bytes) {
    const std::size_t size = rounded(size_bytes);
    void* data = nullptr;
    cudaError_t status = cudaMalloc(&data, size);
    if (status == cudaErrorMemoryAllocation) {
      static_cast<void>(cudaGetLastError());  // reported by the second try
      release_kept();
      status = cudaMalloc(&data, size);
    }
    if (status == cudaErrorMemoryAllocation) {
      static_cast<void>(cudaGetLastError());
      refuse(size_bytes);
    }
    check(status, "cudaMalloc");
    sizes_.emplace(data, size);
    return data;
  }

  static std::size_t total_bytes() {
    static const std::size_t total = [] {
      std::size_t free = 0, all = 0;
      GRADLAB_CUDA(cudaMemGetInfo(&free, &all));
      return all;
    }();
    return total;
  }

  [[noreturn]] static void refuse(std::size_t size_bytes) {
    std::size_t free = 0, total = 0;
    GRADLAB_CUDA(cudaMemGetInfo(&free, &total));
    throw DeviceError("out of memory on the CUDA device: asked for " + size_text(size_bytes) + ", " + size_text(free) +
                      " free of " + size_text(total));
  }

  void release_kept() noexcept {
    for (const auto& [size, data] : kept_) {
      sizes_.erase(data);
      static_cast<void>(cudaFree(data));  // fails only after an earlier failure, which is reported where it is found
    }
    kept_.clear();
  }

  std::mutex mutex_;
  std::multimap<std::size_t, void*> kept_;
  std::unordered_map<void*, std::size_t> sizes_;  // of all blocks, kept or handed out
  std::size_t allocated_bytes_ = 0;
};

// Never destroyed: at the end of the process the driver may be gone already, and takes the memory with it.
Pool& pool() {
  static Pool& instance = *new Pool;
  return instance;
}

void find_device() {
  int driver = 0;
  GRADLAB_CUDA(cudaDriverGetVersion(&driver));
  if (driver == 0) {
    throw DeviceError(std::string("no CUDA driver on this machine: install NVIDIA's driver") + kGoOn);
  }
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status == cudaErrorInsufficientDriver) {
    throw DeviceError("the CUDA driver is too old: it offers CUDA " + std::to_string(driver / 1000) +
                      ", this build needs " + std::to_string(CUDART_VERSION / 1000) + kGoOn);
  }
  if (status == cudaErrorNoDevice || (status == cudaSuccess && count == 0)) {
    throw DeviceError(std::string("no CUDA device on this machine (the driver is there)") + kGoOn);
  }
  check(status, "cudaGetDeviceCount");
  int major = 0, minor = 0;
  GRADLAB_CUDA(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0));
  GRADLAB_CUDA(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, 0));
  if (major * 10 + minor < 75) {
    throw DeviceError("the CUDA device is too old: compute capability " + std::to_string(major) + "." +
                      std::to_string(minor) + ", 7.5 is needed" + kGoOn);
  }
}

}  // namespace

void check(cudaError_t status, const char* call) {
  if (status == cudaSuccess) return;
  static_cast<void>(cudaGetLastError());  // so that the next call does not report this one again
  throw DeviceError(std::string("CUDA: ") + call + " failed: " + cudaGetErrorString(status) + " (" +
                    cudaGetErrorName(status) + ")");
}

void require_device() {
  static std::atomic<bool> found{false};
  if (found.load(std::memory_order_acquire)) return;
  find_device();
  found.store(true, std::memory_order_release);
}

void synchronize() {
  require_device();
  GRADLAB_CUDA(cudaDeviceSynchronize());
}

void* allocate(std::size_t size_bytes) {
  if (size_bytes == 0) return nullptr;
  require_device();
  return pool().allocate(size_bytes);
}

void deallocate(void* data, std::size_t size_bytes) noexcept {
  if (data != nullptr) pool().deallocate(data, size_bytes);
}

void copy_bytes(Device to, void* destination, Device from, const void* source, std::size_t size_bytes) {
  require_device();
  if (to == Device::kCuda && from == Device::kCuda) {
    GRADLAB_CUDA(cudaMemcpyAsync(destination, source, size_bytes, cudaMemcpyDeviceToDevice));
  } else if (to == Device::kCuda) {
    GRADLAB_CUDA(cudaMemcpy(destination, source, size_bytes, cudaMemcpyHostToDevice));
  } else {
    GRADLAB_CUDA(cudaMemcpy(destination, source, size_bytes, cudaMemcpyDeviceToHost));
  }
}

std::size_t allocated_bytes() noexcept { return pool().allocated_bytes(); }

void release_cached_memory() noexcept { pool().release(); }

}  // namespace gradlab::cuda
#endif
