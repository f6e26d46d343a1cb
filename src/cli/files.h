// Files that a subcommand writes.
#pragma once

#include <string>

namespace gradlab {

// Replaces the file. Throws EnvironmentError when not everything was written.
void write_file(const std::string& path, const std::string& text);

}  // namespace gradlab
