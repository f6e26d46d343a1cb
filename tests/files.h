// Files in tests. Relative paths start at the project's folder.
#pragma once

#include <unistd.h>

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace gradlab::test {

// All of a file. It must be there.
inline std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(std::filesystem::path(GRADLAB_SOURCE_DIR) / path, std::ios::binary);
  REQUIRE_MESSAGE(file.is_open(), path.string());
  return {std::istreambuf_iterator<char>(file), {}};
}

// A path of its own that is gone when the test ends.
class TemporaryPath {
 public:
  explicit TemporaryPath(const std::string& extension = "")
      : path_(std::filesystem::temp_directory_path() /
              ("gradlab-test-" + std::to_string(::getpid()) + "-" + std::to_string(++count_) + extension)) {}
  ~TemporaryPath() { std::filesystem::remove(path_); }
  TemporaryPath(const TemporaryPath&) = delete;
  TemporaryPath& operator=(const TemporaryPath&) = delete;

  std::string string() const { return path_.string(); }

 private:
  static inline int count_ = 0;
  std::filesystem::path path_;
};

class TemporaryFile : public TemporaryPath {
 public:
  explicit TemporaryFile(const std::string& text) { std::ofstream(string(), std::ios::binary) << text; }
};

}  // namespace gradlab::test
