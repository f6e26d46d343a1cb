// Counted references to the engine's shared objects.
#pragma once

#include <cstdint>
#include <new>
#include <type_traits>
#include <utility>

#include "src/tensor/pool.h"

namespace gradlab {

// NOTE [One thread owns a graph]
// Counts are plain integers: the tensors and nodes of one graph belong to one thread, which makes recording a node several
// times cheaper than atomic counts would. Kernels may use threads of their own, since they see pointers and never tensors.

// Stands directly before each counted object. `weak` counts the weak references, plus one while any strong one is left.
struct RefHeader {
  std::uint32_t strong;
  std::uint32_t weak;
  std::uint64_t size_bytes;
};
static_assert(sizeof(RefHeader) == 16);

namespace ref_internal {

inline RefHeader* header(const void* object) {
  return reinterpret_cast<RefHeader*>(const_cast<void*>(object)) - 1;
}

inline void drop_weak(void* object) noexcept {
  RefHeader* h = header(object);
  if (--h->weak == 0) Pool::deallocate(h, h->size_bytes);
}

}  // namespace ref_internal

// Ends the object's life; its memory stays until the last weak reference goes. A type whose destruction needs care declares
// an overload of its own (see NOTE [No recursion] in node.h).
template <class T>
void dispose(T* object) noexcept {
  object->~T();
  ref_internal::drop_weak(object);
}

template <class T>
class Ref {
 public:
  Ref() = default;
  Ref(std::nullptr_t) {}
  Ref(const Ref& other) : object_(other.object_) { acquire(); }
  Ref(Ref&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  template <class U>
    requires std::is_convertible_v<U*, T*>
  Ref(Ref<U> other) : object_(other.detach()) {}
  ~Ref() { release(); }

  Ref& operator=(const Ref& other) { return *this = Ref(other); }
  Ref& operator=(Ref&& other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }

  T* get() const { return object_; }
  T* operator->() const { return object_; }
  T& operator*() const { return *object_; }
  explicit operator bool() const { return object_ != nullptr; }
  void reset() { *this = Ref(); }
  friend bool operator==(const Ref& a, const Ref& b) { return a.object_ == b.object_; }

  // How many strong references there are, this one included; 0 for null.
  std::uint32_t use_count() const { return object_ == nullptr ? 0 : ref_internal::header(object_)->strong; }

  // Hands the reference over to a raw pointer, and takes one over.
  T* detach() { return std::exchange(object_, nullptr); }
  static Ref adopt(T* object) {
    Ref ref;
    ref.object_ = object;
    return ref;
  }
  // A further reference to an object that some Ref already holds.
  static Ref share(T* object) {
    Ref ref = adopt(object);
    ref.acquire();
    return ref;
  }

 private:
  void acquire() {
    if (object_ != nullptr) ++ref_internal::header(object_)->strong;
  }
  void release() {
    if (object_ != nullptr && --ref_internal::header(object_)->strong == 0) dispose(object_);
  }

  T* object_ = nullptr;
};

template <class T, class... Args>
Ref<T> make_ref(Args&&... args) {
  static_assert(alignof(T) <= sizeof(RefHeader));
  constexpr std::size_t size = sizeof(RefHeader) + sizeof(T);
  auto* header = static_cast<RefHeader*>(Pool::allocate(size));
  *header = {1, 1, size};
  try {
    return Ref<T>::adopt(new (header + 1) T(std::forward<Args>(args)...));
  } catch (...) {
    Pool::deallocate(header, size);
    throw;
  }
}

// Does not keep the object alive; lock() is null once its last strong reference went.
template <class T>
class WeakRef {
 public:
  WeakRef() = default;
  WeakRef(const Ref<T>& ref) : object_(ref.get()) { acquire(); }
  WeakRef(const WeakRef& other) : object_(other.object_) { acquire(); }
  WeakRef(WeakRef&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  ~WeakRef() {
    if (object_ != nullptr) ref_internal::drop_weak(object_);
  }
  WeakRef& operator=(WeakRef other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }

  Ref<T> lock() const { return expired() ? Ref<T>() : Ref<T>::share(object_); }
  bool expired() const { return object_ == nullptr || ref_internal::header(object_)->strong == 0; }

 private:
  void acquire() {
    if (object_ != nullptr) ++ref_internal::header(object_)->weak;
  }

  T* object_ = nullptr;
};

}  // namespace gradlab
