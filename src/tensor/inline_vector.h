// A vector that keeps its first N elements inside itself: shapes, edges and gradient lists are nearly always this short.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

#include "src/tensor/pool.h"

namespace gradlab {

// Whether a T may be moved by copying its bytes and forgetting the original. Specialised for handles.
template <class T>
inline constexpr bool kIsRelocatable = std::is_trivially_copyable_v<T>;

template <class T, std::uint32_t N>
class InlineVector {
 public:
  using value_type = T;
  using iterator = T*;
  using const_iterator = const T*;

  InlineVector() {}
  explicit InlineVector(std::size_t count) { resize(count); }
  InlineVector(std::size_t count, const T& value) { resize(count, value); }
  InlineVector(std::initializer_list<T> values) : InlineVector(values.begin(), values.end()) {}
  template <class It>
    requires requires(It it) { *it; ++it; }
  InlineVector(It first, It last) {
    for (; first != last; ++first) push_back(*first);
  }
  explicit InlineVector(std::span<const T> values) : InlineVector(values.begin(), values.end()) {}
  InlineVector(const InlineVector& other) {
    if constexpr (std::is_trivially_copyable_v<T>) {
      if (other.is_inline()) {  // one copy of fixed size, instead of a loop
        std::memcpy(inline_, other.inline_, sizeof(inline_));
        size_ = other.size_;
        return;
      }
    }
    reserve(other.size_);
    for (const T& element : other) push_back(element);
  }
  InlineVector(InlineVector&& other) noexcept { take(other); }
  ~InlineVector() { destroy(); }

  InlineVector& operator=(const InlineVector& other) {
    if (this != &other) *this = InlineVector(other);
    return *this;
  }
  InlineVector& operator=(InlineVector&& other) noexcept {
    if (this != &other) {
      destroy();
      take(other);
    }
    return *this;
  }

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T* data() { return is_inline() ? reinterpret_cast<T*>(inline_) : heap_; }
  const T* data() const { return is_inline() ? reinterpret_cast<const T*>(inline_) : heap_; }
  T* begin() { return data(); }
  T* end() { return data() + size_; }
  const T* begin() const { return data(); }
  const T* end() const { return data() + size_; }
  T& operator[](std::size_t i) {
    assert(i < size_);
    return data()[i];
  }
  const T& operator[](std::size_t i) const {
    assert(i < size_);
    return data()[i];
  }
  T& front() { return (*this)[0]; }
  T& back() { return (*this)[size_ - 1]; }
  const T& back() const { return (*this)[size_ - 1]; }

  template <class... Args>
  T& emplace_back(Args&&... args) {
    if (size_ < capacity_) {
      T* element = std::construct_at(data() + size_, std::forward<Args>(args)...);
      ++size_;
      return *element;
    }
    T value(std::forward<Args>(args)...);  // made before the move: an argument may be an element of this very vector
    grow(capacity_ * 2);
    T* element = std::construct_at(data() + size_, std::move(value));
    ++size_;
    return *element;
  }
  void push_back(const T& value) { emplace_back(value); }
  void push_back(T&& value) { emplace_back(std::move(value)); }
  void pop_back() { std::destroy_at(data() + --size_); }
  void clear() {
    std::destroy_n(data(), size_);
    size_ = 0;
  }
  void resize(std::size_t count, const T& value) {
    while (size_ > count) pop_back();
    reserve(count);
    while (size_ < count) push_back(value);
  }
  void resize(std::size_t count) {
    while (size_ > count) pop_back();
    reserve(count);
    T* const elements = data();
    for (; size_ < count; ++size_) std::construct_at(elements + size_);
  }
  void reserve(std::size_t count) {
    if (count > capacity_) grow(static_cast<std::uint32_t>(count));
  }
  void insert(std::size_t at, T value) {
    push_back(std::move(value));
    std::rotate(begin() + at, end() - 1, end());
  }
  void erase(std::size_t at) {
    std::move(begin() + at + 1, end(), begin() + at);
    pop_back();
  }

  friend bool operator==(const InlineVector& a, const InlineVector& b) {
    if (a.size_ != b.size_) return false;
    const T* left = a.data();
    const T* right = b.data();
    for (std::uint32_t i = 0; i < a.size_; ++i) {
      if (!(left[i] == right[i])) return false;
    }
    return true;
  }

 private:
  bool is_inline() const { return capacity_ == N; }

  void grow(std::uint32_t capacity) {
    T* block = static_cast<T*>(Pool::allocate(capacity * sizeof(T)));
    const std::uint32_t count = size_;
    std::uninitialized_move_n(data(), count, block);
    destroy();
    heap_ = block;
    capacity_ = capacity;
    size_ = count;
  }
  void destroy() {
    std::destroy_n(data(), size_);
    if (!is_inline()) Pool::deallocate(heap_, capacity_ * sizeof(T));
    size_ = 0;
    capacity_ = N;
  }
  void take(InlineVector& other) {
    if constexpr (kIsRelocatable<T>) {
      std::memcpy(inline_, other.inline_, sizeof(inline_));  // the heap pointer lies there too
      size_ = std::exchange(other.size_, 0);
      capacity_ = std::exchange(other.capacity_, N);
      return;
    }
    if (other.is_inline()) {
      std::uninitialized_move_n(other.data(), other.size_, reinterpret_cast<T*>(inline_));
      size_ = other.size_;
      other.clear();
    } else {
      heap_ = other.heap_;
      size_ = std::exchange(other.size_, 0);
      capacity_ = std::exchange(other.capacity_, N);
    }
  }

  std::uint32_t size_ = 0;
  std::uint32_t capacity_ = N;
  union {
    T* heap_;
    alignas(T) unsigned char inline_[std::max(N * sizeof(T), sizeof(T*))];
  };
};

}  // namespace gradlab
