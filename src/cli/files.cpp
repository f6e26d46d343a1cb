#include "src/cli/files.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "src/cli/command.h"
#include "src/lab/usage_error.h"

namespace gradlab {
namespace {

[[noreturn]] void throw_not_written(const std::string& path, int error) {
  throw EnvironmentError(fmt::format("{} could not be written: {}", path, std::strerror(error)));
}

}  // namespace

std::string read_file(const std::string& path) {
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file || std::filesystem::is_directory(path)) {
    throw UsageError(fmt::format("{} cannot be read: {}", path, errno == 0 ? "it is no file" : std::strerror(errno)));
  }
  return {std::istreambuf_iterator<char>(file), {}};
}

void check_writable(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) throw_not_written(path, EISDIR);
  if (::access(path.c_str(), W_OK) == 0) return;
  if (errno != ENOENT) throw_not_written(path, errno);
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  if (::access(folder.empty() ? "." : folder.c_str(), W_OK | X_OK) != 0) throw_not_written(path, errno);
}

void write_file(const std::string& path, const std::string& text) {
  errno = 0;
  std::ofstream file(path, std::ios::binary);
  file << text << std::flush;
  if (!file) throw_not_written(path, errno);
}

}  // namespace gradlab
