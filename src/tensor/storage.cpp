#include "src/tensor/storage.h"

#include "kernels/memory.h"

namespace gradlab {

Storage::Storage(Device device, std::size_t size_bytes) : size_bytes_(size_bytes), device_(device) {
  const bool fits = device == Device::kCpu && size_bytes <= kInlineBytes;
  data_ = fits ? inline_ : allocate(device, size_bytes);
}

Storage::~Storage() {
  if (data_ != inline_) deallocate(device_, data_, size_bytes_);
}

}  // namespace gradlab
