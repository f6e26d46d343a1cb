// Words and numbers for people: how a trace's contents and lines are laid out on a page.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "src/lab/event.h"

namespace gradlab {

constexpr std::size_t kPageWidth = 80;

// Colours what is already laid out, or leaves it alone. Colour is never the only sign of anything.
class Paint {
 public:
  explicit Paint(bool is_on) : is_on_(is_on) {}

  std::string red(std::string_view text) const { return in("31;1", text); }
  std::string yellow(std::string_view text) const { return in("33;1", text); }
  std::string green(std::string_view text) const { return in("32;1", text); }
  std::string bold(std::string_view text) const { return in("1", text); }

 private:
  std::string in(std::string_view code, std::string_view text) const;

  bool is_on_;
};

// "3", "[0.33333, 2]", "[1, 2, ..., 9]", "uninitialized": five digits, and not all elements of many.
std::string value_text(const trace::Content& content);
// The texts of both, with all digits where five do not show a difference.
std::pair<std::string, std::string> texts_apart(const trace::Content& a, const trace::Content& b);
// "3 -> 30"
std::string change_text(const trace::Content& before, const trace::Content& after);
// "0 -> 1", or "0" when they are equal.
std::string change_text(std::uint32_t before, std::uint32_t after);

// "run as written", "run with a private copy of all that is kept", "run with the repair: ..."
std::string run_name(const trace::Run& run);

// `text` without what would steer a terminal or break a picture: a line's end becomes a space, other control characters "?".
std::string printable(std::string_view text);

// `text`, printable, in lines of at most kPageWidth characters, each ending in a newline; the first begins with `start`, the others
// with `indent` spaces. A word that is longer than a line stands alone.
std::string filled(std::string_view text, std::string_view start = "", std::size_t indent = 0);

// "a, b and c"
std::string listed(const std::vector<std::string>& words);
// "step 3", "steps 3 and 4"
std::string steps_text(const std::vector<int>& steps);

}  // namespace gradlab
