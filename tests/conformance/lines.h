// A text file, plain or compressed by gzip, line by line.
#pragma once

#include <zlib.h>

#include <memory>
#include <stdexcept>
#include <string>

namespace gradlab::conformance {

// The input cannot be used: unreadable, or not what the format says. what() names the file and, where known, the line.
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class LineReader {
 public:
  // Throws InputError when `path` cannot be opened.
  explicit LineReader(const std::string& path);

  // The next line without its end, or false at the end of the file. Throws InputError on a read or decompression error.
  bool next(std::string& line);

  // "FILE:LINE" of the line read last.
  std::string where() const { return path_ + ":" + std::to_string(line_number_); }

 private:
  struct Close {
    void operator()(gzFile file) const { gzclose(file); }
  };
  std::string path_;
  std::unique_ptr<gzFile_s, Close> file_;
  std::size_t line_number_ = 0;
};

}  // namespace gradlab::conformance
