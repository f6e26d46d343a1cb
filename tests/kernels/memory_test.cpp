// memory.h, device.h and threads.h.
#include "kernels/memory.h"

#include <cstdlib>
#include <set>
#include <thread>

#include "kernels/gelu.h"
#include "kernels/threads.h"
#include "tests/kernels/kernel_testing.h"

namespace {

using gradlab::allocate;
using gradlab::allocated_bytes;
using gradlab::deallocate;
using gradlab::Device;
using gradlab::DeviceError;
using namespace gradlab::test;

constexpr std::size_t kMiB = std::size_t{1} << 20;

void check_accounting(Device device) {
  const std::size_t before = allocated_bytes(device);
  CHECK(allocate(device, 0) == nullptr);
  deallocate(device, nullptr, 0);
  std::vector<std::pair<void*, std::size_t>> blocks;
  std::set<void*> addresses;
  std::size_t sum = 0;
  for (const std::size_t size : {std::size_t{1}, std::size_t{4}, std::size_t{64}, std::size_t{65}, std::size_t{4096},
                                 std::size_t{4097}, std::size_t{100'000}, 3 * kMiB, 9 * kMiB + 1}) {
    for (int copy = 0; copy < 3; ++copy) {
      void* data = allocate(device, size);
      CHECK(reinterpret_cast<std::uintptr_t>(data) % 64 == 0);
      CHECK(addresses.insert(data).second);
      blocks.emplace_back(data, size);
      sum += size;
    }
  }
  CHECK(allocated_bytes(device) == before + sum);
  for (const auto& [data, size] : blocks) deallocate(device, data, size);
  CHECK(allocated_bytes(device) == before);
  gradlab::release_cached_memory(device);
  CHECK(allocated_bytes(device) == before);
}

void check_out_of_memory(Device device) {
  const std::size_t before = allocated_bytes(device);
  for (const std::size_t size : {SIZE_MAX, SIZE_MAX / 2, std::size_t{1} << 46}) {
    try {
      allocate(device, size);
      FAIL("a size nobody has was allocated");
    } catch (const DeviceError& error) {
      const std::string text = error.what();
      CAPTURE(text);
      CHECK(text.find("out of memory on the ") == 0);
      CHECK(text.find("asked for " + std::to_string(size) + " bytes") != std::string::npos);
    }
  }
  CHECK(allocated_bytes(device) == before);
  // And the device still works.
  void* data = allocate(device, kMiB);
  deallocate(device, data, kMiB);
}

void check_copies(Device device) {
  for (const std::int64_t n : {1, 3, 5000, 3'000'000}) {
    const auto values = random_values<float>(n, 41);
    Array<float> first(device, values), second(device, n);
    gradlab::copy_bytes(device, second.data(), device, first.data(), static_cast<std::size_t>(n) * sizeof(float));
    CHECK(second.host() == values);
  }
  gradlab::copy_bytes(device, nullptr, Device::kCpu, nullptr, 0);
}

GRADLAB_ON_EACH_DEVICE("allocated_bytes counts what is handed out and comes back to where it was", check_accounting)
GRADLAB_ON_EACH_DEVICE("a size that cannot be had is refused with the amount, and nothing is lost", check_out_of_memory)
GRADLAB_ON_EACH_DEVICE("copies go to and from the device", check_copies)

TEST_CASE("a large block that was given back is handed out again") {
#if defined(__SANITIZE_ADDRESS__)
  return gradlab::test::skip("AddressSanitizer builds keep no blocks");
#endif
  void* first = allocate(Device::kCpu, 64 * kMiB);
  deallocate(Device::kCpu, first, 64 * kMiB);
  void* second = allocate(Device::kCpu, 64 * kMiB);
  CHECK(first == second);
  deallocate(Device::kCpu, second, 64 * kMiB);
  gradlab::release_cached_memory(Device::kCpu);
}

TEST_CASE("a block may be given back on another thread, and threads come and go") {
  const std::size_t before = allocated_bytes(Device::kCpu);
  std::vector<void*> blocks(1000);
  std::thread([&] {
    for (void*& block : blocks) block = allocate(Device::kCpu, 48);
  }).join();
  CHECK(allocated_bytes(Device::kCpu) == before + 48 * blocks.size());
  CHECK(std::set<void*>(blocks.begin(), blocks.end()).size() == blocks.size());
  for (void* block : blocks) deallocate(Device::kCpu, block, 48);
  CHECK(allocated_bytes(Device::kCpu) == before);
  for (int round = 0; round < 20; ++round) {
    std::thread([&] {
      for (const std::size_t size : {10, 100, 1000, 10'000}) deallocate(Device::kCpu, allocate(Device::kCpu, size), size);
    }).join();
  }
  CHECK(allocated_bytes(Device::kCpu) == before);
}

TEST_CASE("the CPU is always there") {
  gradlab::require_device(Device::kCpu);
  gradlab::synchronize(Device::kCpu);
}

TEST_CASE("asking for CUDA where it cannot be had says what is missing and how to go on") {
  if (cuda_usable()) return gradlab::test::skip("a CUDA device is there");
  for (int round = 0; round < 2; ++round) {
    try {
      allocate(Device::kCuda, 16);
      FAIL("there was no error");
    } catch (const DeviceError& error) {
      const std::string text = error.what();
      CAPTURE(text);
      CHECK((text.find("no CUDA") != std::string::npos || text.find("too old") != std::string::npos));
      CHECK(text.find("--device cpu") != std::string::npos);
    }
  }
}

TEST_CASE("kernels called from several threads at once are right") {
  const std::int64_t n = 200'000;
  const auto x = random_values<float>(n, 42);
  std::vector<float> expected(x.size());
  gradlab::gelu_forward(Device::kCpu, x.data(), expected.data(), n);
  std::vector<std::vector<float>> results(4, std::vector<float>(x.size()));
  std::vector<std::thread> callers;
  for (auto& result : results) {
    callers.emplace_back([&] {
      for (int round = 0; round < 5; ++round) gradlab::gelu_forward(Device::kCpu, x.data(), result.data(), n);
    });
  }
  for (std::thread& caller : callers) caller.join();
  for (const auto& result : results) CHECK(result == expected);
}

TEST_CASE("the number of threads is at least one and can be set") {
  const int before = gradlab::num_threads();
  CHECK(before >= 1);
  gradlab::set_num_threads(3);
  CHECK(gradlab::num_threads() == 3);
  gradlab::set_num_threads(before);
}

}  // namespace
