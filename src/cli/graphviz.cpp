#include "src/cli/graphviz.h"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "src/cli/command.h"

extern char** environ;

namespace gradlab {
namespace {

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

// Files, not pipes: neither side can wait for the other, and there is no pipe to break.
File temporary_file() {
  File file(std::tmpfile());
  if (!file) throw EnvironmentError(fmt::format("no temporary file could be made: {}", std::strerror(errno)));
  return file;
}

std::string whole_text(std::FILE* file) {
  std::rewind(file);
  std::string text;
  char buffer[4096];
  for (std::size_t size; (size = std::fread(buffer, 1, sizeof buffer, file)) > 0;) text.append(buffer, size);
  return text;
}

constexpr std::string_view kWithout =
    "install Graphviz (Debian, Ubuntu: apt-get install graphviz), or use --format text, dot or mermaid, which need "
    "nothing";

}  // namespace

std::string svg_from_dot(const std::string& dot_text) {
  const File in = temporary_file();
  const File out = temporary_file();
  const File err = temporary_file();
  if (std::fwrite(dot_text.data(), 1, dot_text.size(), in.get()) != dot_text.size() || std::fflush(in.get()) != 0) {
    throw EnvironmentError(fmt::format("a temporary file could not be written: {}", std::strerror(errno)));
  }
  std::rewind(in.get());

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, fileno(in.get()), 0);
  posix_spawn_file_actions_adddup2(&actions, fileno(out.get()), 1);
  posix_spawn_file_actions_adddup2(&actions, fileno(err.get()), 2);
  char program[] = "dot";
  char format[] = "-Tsvg";
  char* arguments[] = {program, format, nullptr};
  pid_t child = 0;
  const int error = ::posix_spawnp(&child, program, &actions, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error == ENOENT)
    throw EnvironmentError(fmt::format("svg needs Graphviz's program dot, and there is none: {}", kWithout));
  if (error != 0)
    throw EnvironmentError(fmt::format("dot could not be started ({}): {}", std::strerror(error), kWithout));
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  std::string svg = whole_text(out.get());
  if (status != 0 || svg.empty()) throw EnvironmentError(fmt::format("dot failed: {}", whole_text(err.get())));
  return svg;
}

}  // namespace gradlab
