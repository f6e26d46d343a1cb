// Devices, and what is available on this machine. No CUDA type appears in any header.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace gradlab {

enum class Device : std::uint8_t { kCpu, kCuda };

// The environment's fault, never the caller's: no such device, a failed CUDA call, out of memory.
// what() names the failing call or what is missing, and how to go on.
class DeviceError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Throws DeviceError when `device` cannot be used here; the text says which part is missing (this build has no CUDA, no
// driver, no device). Asking about the CPU never touches the CUDA runtime.
void require_device(Device device);

// Waits until everything launched on `device` is done. Throws DeviceError when a launch failed. Nothing to do on the CPU.
void synchronize(Device device);

}  // namespace gradlab
