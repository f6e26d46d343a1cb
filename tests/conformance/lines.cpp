#include "tests/conformance/lines.h"

#include <array>
#include <cerrno>
#include <cstring>

namespace gradlab::conformance {

LineReader::LineReader(const std::string& path) : path_(path) {
  errno = 0;
  file_.reset(gzopen(path.c_str(), "rb"));
  if (!file_) throw InputError("cannot read " + path + ": " + std::strerror(errno != 0 ? errno : ENOMEM));
  gzbuffer(file_.get(), 1 << 17);
}

bool LineReader::next(std::string& line) {
  line.clear();
  ++line_number_;
  std::array<char, 1 << 16> piece;
  while (gzgets(file_.get(), piece.data(), static_cast<int>(piece.size())) != nullptr) {
    line += piece.data();
    if (line.ends_with('\n')) {
      line.pop_back();
      return true;
    }
  }
  int status = Z_OK;
  const char* text = gzerror(file_.get(), &status);
  if (status == Z_ERRNO) text = std::strerror(errno);
  if (status != Z_OK && status != Z_STREAM_END) throw InputError(where() + ": cannot read on: " + text);
  return !line.empty();
}

}  // namespace gradlab::conformance
