// One buffer on one device.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/device.h"
#include "kernels/memory.h"
#include "src/tensor/ref.h"

namespace gradlab {

// Owns its bytes. Small host buffers lie inside the object itself.
class Storage {
 public:
  static constexpr std::size_t kInlineBytes = 8;

  // Uninitialised. Throws DeviceError when the device has no room.
  Storage(Device device, std::size_t size_bytes)
      : size_bytes_(size_bytes), device_(device) {
    data_ = device == Device::kCpu && size_bytes <= kInlineBytes ? inline_ : allocate(device, size_bytes);
  }
  ~Storage() {
    if (data_ != inline_) deallocate(device_, data_, size_bytes_);
  }
  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;

  void* data() const { return data_; }
  std::size_t size_bytes() const { return size_bytes_; }
  Device device() const { return device_; }

 private:
  friend class VersionCounter;

  void* data_;
  std::size_t size_bytes_;
  std::uint32_t version_ = 0;  // NOTE [Versions]
  Device device_;
  alignas(8) unsigned char inline_[kInlineBytes];
};

}  // namespace gradlab
