// One buffer on one device.
#pragma once

#include <cstddef>

#include "kernels/device.h"
#include "src/tensor/ref.h"

namespace gradlab {

// Owns its bytes. Small host buffers lie inside the object itself.
class Storage {
 public:
  static constexpr std::size_t kInlineBytes = 16;

  // Uninitialised. Throws DeviceError when the device has no room.
  Storage(Device device, std::size_t size_bytes);
  ~Storage();
  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;

  void* data() const { return data_; }
  std::size_t size_bytes() const { return size_bytes_; }
  Device device() const { return device_; }

 private:
  void* data_;
  std::size_t size_bytes_;
  Device device_;
  alignas(8) unsigned char inline_[kInlineBytes];
};

}  // namespace gradlab
