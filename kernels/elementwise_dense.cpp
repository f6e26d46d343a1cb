#include "kernels/elementwise_dense.h"

#include <array>
#include <cstddef>
#include <cstring>
#include <utility>

#include "kernels/elementwise_math.h"
#include "kernels/gelu_simd.h"

namespace gradlab::cpu {
namespace {

template <int dtype>
using Element = ElementOf<static_cast<DType>(dtype)>;

constexpr int kCheap = 4;     // the memory decides
constexpr int kGelu = 8;
constexpr int kLibm = 100;

constexpr int cost_of(UnaryOp op) {
  switch (op) {
    case UnaryOp::kExp:
    case UnaryOp::kLog:
    case UnaryOp::kTanh:
    case UnaryOp::kSigmoid:
    case UnaryOp::kErf: return kLibm;
    default: return kCheap;
  }
}

template <UnaryOp op, class T>
void unary_kernel(void* out, const void* const* in, std::int64_t n) {
  if constexpr (op == UnaryOp::kCopy) {
    std::memmove(out, in[0], static_cast<std::size_t>(n) * sizeof(T));
  } else {
    const T* x = static_cast<const T*>(in[0]);
    T* y = static_cast<T*>(out);
    GRADLAB_INDEPENDENT_ELEMENTS
    for (std::int64_t i = 0; i < n; ++i) y[i] = apply<op>(x[i]);
  }
}

void gelu_kernel(void* out, const void* const* in, std::int64_t n) {
  gelu_kernels().forward(static_cast<const float*>(in[0]), static_cast<float*>(out), n);
}

void gelu_backward_kernel(void* out, const void* const* in, std::int64_t n) {
  gelu_kernels().backward(static_cast<const float*>(in[0]), 1, static_cast<const float*>(in[1]), static_cast<float*>(out),
                          n);
}

template <BinaryOp op, class T>
void binary_kernel(void* out, const void* const* in, std::int64_t n) {
  using R = decltype(apply<op>(T(), T()));
  const T* a = static_cast<const T*>(in[0]);
  const T* b = static_cast<const T*>(in[1]);
  R* y = static_cast<R*>(out);
  GRADLAB_INDEPENDENT_ELEMENTS
  for (std::int64_t i = 0; i < n; ++i) y[i] = apply<op>(a[i], b[i]);
}

template <class T>
void where_kernel(void* out, const void* const* in, std::int64_t n) {
  const bool* condition = static_cast<const bool*>(in[0]);
  const T* a = static_cast<const T*>(in[1]);
  const T* b = static_cast<const T*>(in[2]);
  T* y = static_cast<T*>(out);
  GRADLAB_INDEPENDENT_ELEMENTS
  for (std::int64_t i = 0; i < n; ++i) y[i] = condition[i] ? a[i] : b[i];
}

template <class T>
void clamp_kernel(void* out, const void* const* in, std::int64_t n) {
  const T* x = static_cast<const T*>(in[0]);
  const T* low = static_cast<const T*>(in[1]);
  const T* high = static_cast<const T*>(in[2]);
  T* y = static_cast<T*>(out);
  GRADLAB_INDEPENDENT_ELEMENTS
  for (std::int64_t i = 0; i < n; ++i) y[i] = clamp_to(x[i], low[i], high[i]);
}

template <class To, class From>
void convert_kernel(void* out, const void* const* in, std::int64_t n) {
  const From* x = static_cast<const From*>(in[0]);
  To* y = static_cast<To*>(out);
  for (std::int64_t i = 0; i < n; ++i) y[i] = converted<To>(x[i]);
}

template <UnaryOp op, class T>
constexpr DenseOp unary_entry() {
  if constexpr (!unary_takes<op, T>()) {
    return {nullptr, 0};
  } else if constexpr (op == UnaryOp::kGelu) {
    if constexpr (std::is_same_v<T, float>) return {gelu_kernel, kGelu};
    return {unary_kernel<op, T>, 2 * kLibm};
  } else {
    return {unary_kernel<op, T>, cost_of(op)};
  }
}

template <BinaryOp op, class T>
constexpr DenseOp binary_entry() {
  if constexpr (!binary_takes<op, T>()) {
    return {nullptr, 0};
  } else if constexpr (op == BinaryOp::kGeluBackward) {
    if constexpr (std::is_same_v<T, float>) return {gelu_backward_kernel, kGelu};
    return {binary_kernel<op, T>, 3 * kLibm};
  } else {
    return {binary_kernel<op, T>, op == BinaryOp::kPow ? 2 * kLibm : kCheap};
  }
}

template <int ops>
using Table = std::array<std::array<DenseOp, kDTypes>, ops>;

template <int op, int... dtypes>
constexpr std::array<DenseOp, kDTypes> unary_row(std::integer_sequence<int, dtypes...>) {
  return {unary_entry<static_cast<UnaryOp>(op), Element<dtypes>>()...};
}

template <int... ops>
constexpr Table<kUnaryOps> unary_table(std::integer_sequence<int, ops...>) {
  return {unary_row<ops>(std::make_integer_sequence<int, kDTypes>{})...};
}

template <int op, int... dtypes>
constexpr std::array<DenseOp, kDTypes> binary_row(std::integer_sequence<int, dtypes...>) {
  return {binary_entry<static_cast<BinaryOp>(op), Element<dtypes>>()...};
}

template <int... ops>
constexpr Table<kBinaryOps> binary_table(std::integer_sequence<int, ops...>) {
  return {binary_row<ops>(std::make_integer_sequence<int, kDTypes>{})...};
}

template <class To, int... dtypes>
constexpr std::array<DenseOp, kDTypes> convert_row(std::integer_sequence<int, dtypes...>) {
  return {DenseOp{convert_kernel<To, Element<dtypes>>, kCheap}...};
}

template <int... dtypes>
constexpr Table<kDTypes> convert_table(std::integer_sequence<int, dtypes...> all) {
  return {convert_row<Element<dtypes>>(all)...};
}

template <int... dtypes>
constexpr std::array<DenseOp, kDTypes> where_table(std::integer_sequence<int, dtypes...>) {
  return {DenseOp{where_kernel<Element<dtypes>>, kCheap}...};
}

template <int... dtypes>
constexpr std::array<DenseOp, kDTypes> clamp_table(std::integer_sequence<int, dtypes...>) {
  return {DenseOp{std::is_same_v<Element<dtypes>, bool> ? nullptr : clamp_kernel<Element<dtypes>>, kCheap}...};
}

constexpr auto kAllDTypes = std::make_integer_sequence<int, kDTypes>{};
constexpr auto kUnary = unary_table(std::make_integer_sequence<int, kUnaryOps>{});
constexpr auto kBinary = binary_table(std::make_integer_sequence<int, kBinaryOps>{});
constexpr auto kConvert = convert_table(kAllDTypes);
constexpr auto kWhere = where_table(kAllDTypes);
constexpr auto kClamp = clamp_table(kAllDTypes);

template <class E>
constexpr std::size_t at(E value) {
  return static_cast<std::size_t>(value);
}

}  // namespace

const DenseOp& unary_dense(UnaryOp op, DType dtype) { return kUnary[at(op)][at(dtype)]; }
const DenseOp& binary_dense(BinaryOp op, DType dtype) { return kBinary[at(op)][at(dtype)]; }
const DenseOp& where_dense(DType dtype) { return kWhere[at(dtype)]; }
const DenseOp& clamp_dense(DType dtype) { return kClamp[at(dtype)]; }
const DenseOp& convert_dense(DType to, DType from) { return kConvert[at(to)][at(from)]; }

}  // namespace gradlab::cpu
