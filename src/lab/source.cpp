#include "src/lab/source.h"

#include <cstddef>

namespace gradlab {
namespace {

// The end of the string literal that starts at `begin`: the position after its closing quote.
std::size_t end_of_literal(std::string_view code, std::size_t begin) {
  std::size_t i = begin + 1;
  while (i < code.size() && code[i] != '"') i += code[i] == '\\' ? 2 : 1;
  return i + 1;
}

}  // namespace

std::string laid_out(std::string_view code) {
  std::string lines;
  std::string line;
  std::size_t depth = 0;  // of braces
  int parentheses = 0;
  const auto end_line = [&] {
    if (!line.empty()) lines += std::string(2 * depth, ' ') + line + "\n";
    line.clear();
  };
  for (std::size_t i = 0; i < code.size(); ++i) {
    const char c = code[i];
    if (c == '"') {
      const std::size_t end = end_of_literal(code, i);
      line += code.substr(i, end - i);
      i = end - 1;
      continue;
    }
    if (c == ' ' && line.empty()) continue;
    parentheses += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (parentheses > 0) {
      line += c;
    } else if (c == '{') {
      line += c;
      end_line();
      ++depth;
    } else if (c == '}') {
      end_line();
      if (depth > 0) --depth;
      line += c;
      if (i + 1 == code.size() || code[i + 1] != ';') end_line();
    } else {
      line += c;
      if (c == ';') end_line();
    }
  }
  end_line();
  return lines;
}

}  // namespace gradlab
