// What the kernels' tests share: arrays on a device, random numbers, strided operands.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include "kernels/memory.h"
#include "kernels/strided.h"
#include "tests/skip.h"

namespace gradlab::test {

inline bool cuda_usable() {
  try {
    require_device(Device::kCuda);
    return true;
  } catch (const DeviceError&) {
    return false;
  }
}

// A suite is a function of the device. It stands as two test-cases, so that the CUDA one counts as skipped without a device.
#define GRADLAB_ON_EACH_DEVICE(sentence, suite)                                      \
  TEST_CASE(sentence) { suite(gradlab::Device::kCpu); }                              \
  TEST_CASE("on CUDA: " sentence) {                                                  \
    if (!gradlab::test::cuda_usable()) return gradlab::test::skip("no CUDA device"); \
    suite(gradlab::Device::kCuda);                                                   \
  }

inline constexpr std::int64_t kSizes[] = {0, 1, 3, 7, 8, 9, 15, 17, 31, 33, 1023, 1025, (1 << 20) + 1};
inline constexpr float kInf = std::numeric_limits<float>::infinity();
inline constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
inline constexpr float kDenormal = 1e-42f;
inline const std::vector<float> kSpecial = {0.0f, -0.0f, kInf, -kInf, kNan,  kDenormal, -kDenormal, 40.0f, -40.0f,
                                            1.0f, -1.0f, 0.5f, 13.f,  -13.f, 1e30f,     -1e30f,     2.0f,  -3.0f};

template <class T>
constexpr DType dtype_of() {
  if (std::is_same_v<T, float>) return DType::kFloat32;
  if (std::is_same_v<T, double>) return DType::kFloat64;
  if (std::is_same_v<T, std::int32_t>) return DType::kInt32;
  return std::is_same_v<T, bool> ? DType::kBool : DType::kInt64;
}

// std::vector<bool> has no elements to point at.
template <class T>
using Host = std::vector<std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>>;

// n elements on a device that begin `offset` elements after a 64-byte border. New ones are poisoned: every byte is 0xcd, so
// that an element nobody wrote shows.
template <class T>
class Array {
 public:
  using Element = typename Host<T>::value_type;

  Array(Device device, std::int64_t n, std::int64_t offset = 0)
      : device_(device), n_(static_cast<std::size_t>(n)), offset_(static_cast<std::size_t>(offset)) {
    block_ = allocate(device_, block_bytes());
    const std::vector<unsigned char> poison(block_bytes(), 0xcd);
    copy_bytes(device_, block_, Device::kCpu, poison.data(), block_bytes());
  }
  Array(Device device, const Host<T>& values, std::int64_t offset = 0)
      : Array(device, static_cast<std::int64_t>(values.size()), offset) {
    copy_bytes(device_, data(), Device::kCpu, values.data(), n_ * sizeof(T));
  }
  ~Array() { deallocate(device_, block_, block_bytes()); }
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;

  T* data() { return static_cast<T*>(block_) + offset_; }
  Host<T> host() const {
    Host<T> values(n_);
    copy_bytes(Device::kCpu, values.data(), device_, static_cast<const T*>(block_) + offset_, n_ * sizeof(T));
    return values;
  }

 private:
  std::size_t block_bytes() const { return (n_ + offset_) * sizeof(T); }

  Device device_;
  std::size_t n_, offset_;
  void* block_;
};

template <class T>
bool is_poison(const T& value) {
  unsigned char bytes[sizeof(T)];
  std::memcpy(bytes, &value, sizeof value);
  return std::all_of(bytes, bytes + sizeof(T), [](unsigned char byte) { return byte == 0xcd; });
}

// Normal numbers with the deviation `scale`; for integers in [-100, 100], for bool both values.
template <class T>
Host<T> random_values(std::int64_t n, std::uint_fast32_t seed, double scale = 1.0) {
  std::mt19937 generator(seed);
  Host<T> values(static_cast<std::size_t>(n));
  std::normal_distribution<double> normal(0.0, scale);
  std::uniform_int_distribution<int> whole(-100, 100);
  for (auto& value : values) {
    if constexpr (std::is_same_v<T, bool>) {
      value = whole(generator) > 0;
    } else if constexpr (std::is_integral_v<T>) {
      value = whole(generator);
    } else {
      value = static_cast<T>(normal(generator));
    }
  }
  return values;
}

inline bool same_bits(float a, float b) { return std::memcmp(&a, &b, sizeof a) == 0; }

// Equal, or both nan.
template <class T>
bool same(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(a) && std::isnan(b)) return true;
  }
  return a == b;
}

// |a - b| <= tolerance * max(1, |b|); nan and infinities must be equal.
template <class T>
bool close(T a, double b, double tolerance) {
  const double value = static_cast<double>(a);
  if (std::isnan(value) || std::isnan(b)) return std::isnan(value) && std::isnan(b);
  if (std::isinf(value) || std::isinf(b)) return value == b;
  return std::fabs(value - b) <= tolerance * std::max(1.0, std::fabs(b));
}

// A view of random layout over its own block: permuted, with gaps, and on request with repeated (stride 0) dimensions.
struct Layout {
  std::vector<std::int64_t> sizes, strides;
  std::int64_t block = 1;  // elements spanned

  std::int64_t count() const {
    std::int64_t n = 1;
    for (const std::int64_t size : sizes) n *= size;
    return n;
  }
  // Offset of the i-th element in row-major order.
  std::int64_t offset(std::int64_t i) const {
    std::int64_t sum = 0;
    for (std::size_t d = sizes.size(); d-- > 0; i /= sizes[d]) sum += i % sizes[d] * strides[d];
    return sum;
  }
  Extent extent() const { return {static_cast<int>(sizes.size()), sizes.data()}; }
};

inline Layout dense_layout(const std::vector<std::int64_t>& sizes) {
  Layout layout{sizes, std::vector<std::int64_t>(sizes.size()), 1};
  for (std::size_t d = sizes.size(); d-- > 0; layout.block *= sizes[d]) layout.strides[d] = layout.block;
  return layout;
}

inline std::vector<std::int64_t> random_sizes(std::mt19937& generator) {
  const int choices[] = {1, 1, 2, 3, 5, 8, 17, 33};
  std::vector<std::int64_t> sizes(generator() % 5);
  for (auto& size : sizes) size = choices[generator() % 8];
  if (generator() % 16 == 0 && !sizes.empty()) sizes[generator() % sizes.size()] = 0;
  return sizes;
}

inline Layout random_layout(std::mt19937& generator, const std::vector<std::int64_t>& sizes, bool may_repeat) {
  Layout layout = dense_layout(sizes);
  if (generator() % 3 == 0) return layout;
  std::vector<std::size_t> order(sizes.size());
  for (std::size_t d = 0; d < order.size(); ++d) order[d] = d;
  if (generator() % 2 == 0) std::shuffle(order.begin(), order.end(), generator);
  layout.block = 1;
  for (std::size_t k = order.size(); k-- > 0;) {
    const std::size_t d = order[k];
    if (may_repeat && generator() % 4 == 0) {
      layout.strides[d] = 0;
      continue;
    }
    const std::int64_t gap = generator() % 3 == 0 ? 2 : 1;
    layout.strides[d] = layout.block * gap;
    layout.block *= sizes[d] * gap;
  }
  return layout;
}

}  // namespace gradlab::test
