#include "src/cli/text_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace gradlab {
namespace {

constexpr std::size_t kWidth = 80;

}  // namespace

std::string wrapped(std::string_view text, std::string start, std::size_t indent) {
  std::string lines;
  std::string line = std::move(start);
  bool is_empty = true;  // no word on this line yet
  while (!text.empty()) {
    const std::size_t space = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, space);
    if (!is_empty && line.size() + 1 + word.size() > kWidth) {
      lines += std::exchange(line, std::string(indent, ' ')) + "\n";
      is_empty = true;
    }
    line += (is_empty ? "" : " ") + std::string(word);
    is_empty = false;
    text.remove_prefix(std::min(space + 1, text.size()));
  }
  return lines + line + "\n";
}

std::string indented(std::string_view text) {
  std::string lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines += end == 0 ? "\n" : fmt::format("  {}\n", text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

}  // namespace gradlab
