// Files that a subcommand reads or writes.
#pragma once

#include <string>

namespace gradlab {

// All of the file. Throws UsageError when there is no such file, it is a folder, or it may not be read.
std::string read_file(const std::string& path);

// Throws EnvironmentError when write_file(path) would fail, as far as can be told without touching the file.
void check_writable(const std::string& path);

// Replaces the file. Throws EnvironmentError when not everything was written.
void write_file(const std::string& path, const std::string& text);

}  // namespace gradlab
