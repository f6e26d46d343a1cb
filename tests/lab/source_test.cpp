#include "src/lab/source.h"

#include <doctest/doctest.h>

using namespace gradlab;

TEST_CASE("code on one line is broken and indented by its braces") {
  CHECK(laid_out(
            "struct S : Function<S> { static int f(int x) { x = x; return 2 * x; } static int g() { return 1; } };") ==
        "struct S : Function<S> {\n"
        "  static int f(int x) {\n"
        "    x = x;\n"
        "    return 2 * x;\n"
        "  }\n"
        "  static int g() {\n"
        "    return 1;\n"
        "  }\n"
        "};\n");
}

TEST_CASE("braces and semicolons in parentheses and literals break no line") {
  CHECK(laid_out("f({1, 2}); s[\"};\\\"{\"] = 1;") == "f({1, 2});\ns[\"};\\\"{\"] = 1;\n");
  CHECK(laid_out("").empty());
  CHECK(laid_out("}} \"open") == "}\n}\n\"open\n");
}

WITH_SOURCE(
    kTwiceSource, inline int twice(int x) { return 2 * x; });

TEST_CASE("a definition with its source is both") {
  CHECK(twice(4) == 8);
  CHECK(kTwiceSource.text == "inline int twice(int x) { return 2 * x; }");
}
