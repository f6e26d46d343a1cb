// A definition together with its own text, so that `show` prints the code that runs.
#pragma once

#include <string>
#include <string_view>

namespace gradlab {

struct Source {
  std::string_view text;  // on one line, as the preprocessor hands it over
};

// One line of C++ as lines: broken after ';', '{' and '}', indented by two for each brace. Braces and semicolons inside
// parentheses and string literals are left alone.
std::string laid_out(std::string_view code);

}  // namespace gradlab

// WITH_SOURCE(kSafeSquareSource, struct SafeSquare : Function<SafeSquare> { ... };): the definition, and its text as a
// Source of that name.
#define WITH_SOURCE(name, ...) \
  __VA_ARGS__                  \
  inline constexpr ::gradlab::Source name { #__VA_ARGS__ }
