// Memory of a device, in bytes. Freed blocks are kept and handed out again, so that a steady loop allocates nothing.
#pragma once

#include <cstddef>

#include "kernels/device.h"

namespace gradlab {

// Uninitialised memory, aligned to 64 bytes; the caller owns it and gives it back with deallocate. size_bytes 0 gives null.
// Throws DeviceError with the amount asked for and the amount free when there is none; a size that cannot be had is refused
// before anything is allocated.
void* allocate(Device device, std::size_t size_bytes);

// Gives back what allocate returned for the same size. Null is allowed. Any thread may give back any block.
void deallocate(Device device, void* data, std::size_t size_bytes) noexcept;

// Copies between any two devices; returns when the destination may be read. The ranges do not overlap unless both are on
// the CPU.
void copy_bytes(Device to, void* destination, Device from, const void* source, std::size_t size_bytes);

// Bytes handed out and not given back, for tests and measurements.
std::size_t allocated_bytes(Device device) noexcept;

// Returns kept blocks to the system. What is kept until then: on the CPU every block of up to 4 KiB ever in use at one time
// (not returned here either), and larger ones up to 1 GiB or a quarter of the machine's memory together; on CUDA
// everything, given back by itself when the device is full. AddressSanitizer builds keep nothing on the CPU.
void release_cached_memory(Device device) noexcept;

}  // namespace gradlab
