// What a tensor's memory holds, as an event carries it.
#pragma once

#include <string>

#include "src/lab/event.h"
#include "src/tensor/tensor.h"

namespace gradlab {

// Reads the tensor's elements, from CUDA memory too; observers are not told. O(numel).
trace::Content content_of(const Tensor& tensor);

// The same for memory that nobody has written: no values, no fingerprint.
trace::Content empty_content_of(const Tensor& tensor);

// "cpu", "cuda:0"
std::string device_name(Device device);

}  // namespace gradlab
