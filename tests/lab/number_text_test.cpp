#include "src/lab/number_text.h"

#include <doctest/doctest.h>

#include <cmath>

using namespace gradlab;

namespace {

Numbers numbers(std::vector<double> values) {
  const auto count = static_cast<std::int64_t>(values.size());
  return {std::move(values), count};
}

}  // namespace

TEST_CASE("one number in a sentence has the fewest digits that name the float32") {
  CHECK(short_text(numbers({3})) == "3");
  CHECK(short_text(numbers({-2.5})) == "-2.5");
  CHECK(short_text(numbers({0.1f})) == "0.1");
  CHECK(short_text(numbers({1e20f})) == "1e+20");
  CHECK(short_text(numbers({30000000.0})) == "30000000");
  CHECK(short_text(numbers({-0.0})) == "-0");
  CHECK(short_text(numbers({NAN})) == "nan");
  CHECK(short_text(numbers({-INFINITY})) == "-inf");
}

TEST_CASE("a result in a sentence looks like a Python float") {
  CHECK(float_text(numbers({6})) == "6.0");
  CHECK(float_text(numbers({0.2f})) == "0.2");
  CHECK(float_text(numbers({6, -8})) == "[6.0, -8.0]");
}

TEST_CASE("an item shows the float32 converted exactly, as .item() does") {
  CHECK(item_text(numbers({60})) == "60.0");
  CHECK(item_text(numbers({0.1f})) == "0.10000000149011612");
}

TEST_CASE("several numbers are a list, of which a long one shows both ends") {
  CHECK(short_text(numbers({3, 4.5})) == "[3, 4.5]");
  CHECK(short_text(numbers({1, 2, 3, 4, 5, 6})) == "[1, 2, 3, 4, 5, 6]");
  CHECK(short_text(numbers({1, 2, 3, 4, 5, 6, 7})) == "[1, 2, 3, ..., 5, 6, 7]");
  CHECK(short_text(Numbers{{1, 2, 3, 8, 9, 10}, 1000000}) == "[1, 2, 3, ..., 8, 9, 10]");
}
