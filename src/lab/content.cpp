#include "src/lab/content.h"

#include <fmt/format.h>

#include <cstring>

#include "src/autograd/observer.h"
#include "src/tensor/format.h"

namespace gradlab {
namespace {

// FNV-1a over words in place of bytes, with the high bits folded down after each: 1 GB/s and more, and a change of one
// bit always changes the result.
class Hash {
 public:
  void add(std::uint64_t word) {
    state_ = (state_ ^ word) * 0x100000001b3u;
    state_ ^= state_ >> 32;
  }
  void add(const void* data, std::size_t size_bytes) {
    const char* bytes = static_cast<const char*>(data);
    for (; size_bytes > 0; bytes += sizeof(std::uint64_t)) {
      std::uint64_t word = 0;
      const std::size_t part = std::min(size_bytes, sizeof word);
      std::memcpy(&word, bytes, part);
      add(word);
      size_bytes -= part;
    }
  }
  std::string text() const { return fmt::format("{:016x}", state_); }

 private:
  std::uint64_t state_ = 0xcbf29ce484222325u;
};

}  // namespace

trace::Content empty_content_of(const Tensor& tensor) {
  trace::Content content;
  content.shape.assign(tensor.shape().begin(), tensor.shape().end());
  content.dtype = torch_name(tensor.dtype());
  content.is_initialized = false;
  content.count = tensor.numel();
  return content;
}

trace::Content content_of(const Tensor& tensor) {
  const ObserverGuard unobserved(nullptr);
  trace::Content content = empty_content_of(tensor);
  content.is_initialized = true;
  Hash hash;
  for (const std::int64_t size : content.shape) hash.add(static_cast<std::uint64_t>(size));
  hash.add(content.dtype.data(), content.dtype.size());
  if (content.count > 0) {
    const HostValues host(tensor);
    hash.add(host.data(), static_cast<std::size_t>(content.count) * size_bytes(tensor.dtype()));
    const auto edge = static_cast<std::int64_t>(trace::Content::kEdge);
    const bool is_long = content.count > static_cast<std::int64_t>(trace::Content::kMaxKept);
    for (std::int64_t i = 0; i < content.count; ++i) {
      if (is_long && i == edge) i = content.count - edge;
      content.values.push_back(host[i]);
    }
  }
  content.fingerprint = hash.text();
  return content;
}

std::string device_name(Device device) { return device == Device::kCpu ? "cpu" : "cuda:0"; }

}  // namespace gradlab
