#include "src/lab/parameter.h"

#include <doctest/doctest.h>

#include <cmath>

#include "src/lab/usage_error.h"

using namespace gradlab;

TEST_CASE("values are read as Python writes numbers, in brackets or not") {
  CHECK(parse_values("x", "3") == std::vector<double>{3});
  CHECK(parse_values("x", "-3,0,+3") == std::vector<double>{-3, 0, 3});
  CHECK(parse_values("x", " [ 1.5, 1e-3 ,.5 ] ") == std::vector<double>{1.5, 1e-3, 0.5});
  CHECK(parse_values("x", "inf,-inf") == std::vector<double>{INFINITY, -INFINITY});
  CHECK(std::isnan(parse_values("x", "nan").front()));
  CHECK(parse_values("x", "1e400,-1e999,1e-400") == std::vector<double>{INFINITY, -INFINITY, 0});
  CHECK(std::signbit(parse_number("x", "-1e-400")));
  CHECK(parse_number("x", "5e-324") > 0);
}

TEST_CASE("a value that is no number is refused with what is accepted") {
  CHECK_THROWS_WITH_AS(parse_values("x", "1,two"),
                       "--set x: 'two' is not a number; x takes numbers separated by commas, such as x=-3,0,3",
                       UsageError);
  CHECK_THROWS_WITH_AS(parse_values("x", "1,,2"),
                       "--set x: a number is missing; x takes numbers separated by commas, such as x=-3,0,3",
                       UsageError);
  CHECK_THROWS_WITH_AS(parse_values("x", "[]"),
                       "--set x: the list is empty; x takes numbers separated by commas, such as x=-3,0,3", UsageError);
  CHECK_THROWS_WITH_AS(parse_number("factor", "ten"),
                       "--set factor: 'ten' is not a number; factor takes a number, such as factor=10", UsageError);
  for (const char* text : {"", "3 4", "1.5x", "--3", "+-3", "0x10", "1;2", "1e400x"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(parse_values("x", text), UsageError);
    CHECK_THROWS_AS(parse_number("x", text), UsageError);
  }
}

TEST_CASE("a count is a whole number in its range") {
  CHECK(parse_count("n", "1") == 1);
  CHECK(parse_count("n", "1e6") == 1000000);
  CHECK_THROWS_WITH_AS(parse_count("n", "0"),
                       "--set n: '0' is out of range; n takes a whole number from 1 to 100000000, such as n=1000",
                       UsageError);
  CHECK_THROWS_WITH_AS(
      parse_count("n", "1.5"),
      "--set n: '1.5' is not a whole number; n takes a whole number from 1 to 100000000, such as n=1000", UsageError);
  CHECK_THROWS_WITH_AS(parse_count("n", "1e400"),
                       "--set n: '1e400' is out of range; n takes a whole number from 1 to 100000000, such as n=1000",
                       UsageError);
  for (const char* text : {"-1", "-1.5", "100000001", "nan", "inf"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(parse_count("n", text), UsageError);
  }
}

TEST_CASE("a setting is a name and a value around the first equals sign") {
  const Setting setting = parse_setting(" x = 1,2 ");
  CHECK(setting.name == "x");
  CHECK(setting.text == "1,2");
  CHECK(parse_setting("x=").text.empty());
  CHECK_THROWS_WITH_AS(parse_setting("x"), "--set takes NAME=VALUE, such as --set x=5, not 'x'", UsageError);
  CHECK_THROWS_AS(parse_setting("=5"), UsageError);
}

TEST_CASE("the last setting of a name counts, and a count defaults to the number of values") {
  const ParameterSpec specs[] = {input_parameter("1,2"), {"factor", ParameterKind::kNumber, "10", ""}, kCountParameter};
  std::vector<Parameter> parameters = resolve_parameters(specs, {});
  CHECK(parameters[0].values == std::vector<double>{1, 2});
  CHECK(parameters[1].values == std::vector<double>{10});
  CHECK(parameters[2].values == std::vector<double>{2});
  CHECK(parameters[2].text == "2");

  const Setting settings[] = {{"x", "7"}, {"x", "5,6,7"}, {"unknown", "?"}};
  parameters = resolve_parameters(specs, settings);
  CHECK(parameters[0].values == std::vector<double>{5, 6, 7});
  CHECK(parameters[2].values == std::vector<double>{3});
  CHECK(accepted_parameters(specs) ==
        "x (numbers separated by commas), factor (a number), n (a whole number from 1 to 100000000)");
}
