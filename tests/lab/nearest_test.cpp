#include "src/lab/nearest.h"

#include <doctest/doctest.h>

using namespace gradlab;

TEST_CASE("the edit distance counts insertions, deletions, replacements and swaps") {
  CHECK(edit_distance("", "") == 0);
  CHECK(edit_distance("abc", "abc") == 0);
  CHECK(edit_distance("abc", "abd") == 1);
  CHECK(edit_distance("abc", "ac") == 1);
  CHECK(edit_distance("abc", "xabc") == 1);
  CHECK(edit_distance("abc", "acb") == 1);
  CHECK(edit_distance("", "abc") == 3);
}

TEST_CASE("the nearest word is suggested only when it is near") {
  const std::string_view words[] = {"save-safe", "save-unsafe", "all"};
  CHECK(nearest("save-unsaef", words) == "save-unsafe");
  CHECK(nearest("save-saf", words) == "save-safe");
  CHECK(nearest("al", words) == "all");
  CHECK(nearest("backward", words).empty());
  CHECK(nearest(std::string(10000, 's'), words).empty());
  CHECK(did_you_mean("alll", words) == ": did you mean 'all'?");
  CHECK(did_you_mean("backward", words).empty());
}
