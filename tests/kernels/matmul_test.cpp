// matmul.h against a plain float64 loop.
#include "kernels/matmul.h"

#include "tests/kernels/kernel_testing.h"

namespace {

using gradlab::Device;
using namespace gradlab::test;

// A matrix of any layout: transposed, with gaps, or with a repeated row or column.
Layout matrix(std::mt19937& generator, std::int64_t rows, std::int64_t columns, bool may_repeat) {
  return random_layout(generator, {rows, columns}, may_repeat);
}

template <class T>
void check_product(Device device, std::mt19937& generator, std::int64_t m, std::int64_t k, std::int64_t n) {
  const Layout a = matrix(generator, m, k, true), b = matrix(generator, k, n, true), out = matrix(generator, m, n, false);
  const auto x = random_values<T>(a.block, generator()), y = random_values<T>(b.block, generator());
  Array<T> left(device, x), right(device, y), product(device, out.block);
  gradlab::matmul(device, m, k, n, {product.data(), dtype_of<T>(), out.strides.data()},
                  {left.data(), dtype_of<T>(), a.strides.data()}, {right.data(), dtype_of<T>(), b.strides.data()});
  const auto result = product.host();
  bool right_values = true;
  for (std::int64_t i = 0; i < m; ++i) {
    for (std::int64_t j = 0; j < n; ++j) {
      double sum = 0;
      for (std::int64_t p = 0; p < k; ++p) {
        sum += static_cast<double>(x[static_cast<std::size_t>(i * a.strides[0] + p * a.strides[1])]) *
               static_cast<double>(y[static_cast<std::size_t>(p * b.strides[0] + j * b.strides[1])]);
      }
      const T value = result[static_cast<std::size_t>(i * out.strides[0] + j * out.strides[1])];
      right_values = right_values && close(value, sum, std::is_same_v<T, float> ? 2e-5 : 1e-12);
    }
  }
  CHECK(right_values);
}

void check_products(Device device) {
  std::mt19937 generator(31);
  const std::int64_t sizes[] = {0, 1, 2, 3, 15, 16, 17, 65, 130};
  for (int round = 0; round < 60; ++round) {
    const std::int64_t m = sizes[generator() % 9], k = sizes[generator() % 9], n = sizes[generator() % 9];
    CAPTURE(m);
    CAPTURE(k);
    CAPTURE(n);
    check_product<float>(device, generator, m, k, n);
    check_product<double>(device, generator, m, k, n);
  }
}

GRADLAB_ON_EACH_DEVICE("a matrix product agrees with float64 for any strides, and k = 0 gives zeros", check_products)

}  // namespace
