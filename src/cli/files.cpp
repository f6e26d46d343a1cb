#include "src/cli/files.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "src/cli/command.h"

namespace gradlab {

void write_file(const std::string& path, const std::string& text) {
  errno = 0;
  std::ofstream file(path, std::ios::binary);
  file << text << std::flush;
  if (!file) throw EnvironmentError(fmt::format("{} could not be written: {}", path, std::strerror(errno)));
}

}  // namespace gradlab
