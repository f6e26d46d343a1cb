#include "src/lab/golden_diff.h"

#include <doctest/doctest.h>

using namespace gradlab;

TEST_CASE("a golden is named after the output, with the device when it is not the CPU") {
  CHECK(golden_file_name("save-unsafe", Device::kCpu) == "save-unsafe.txt");
  CHECK(golden_file_name("all", Device::kCuda) == "all.cuda.txt");
}

TEST_CASE("addresses are masked and nothing else is") {
  CHECK(mask_addresses("<A object at 0x7f0a4f232f10> <B object at 0xAB>, 0x12") ==
        "<A object at ...> <B object at ...>, 0x12");
  CHECK(mask_addresses("<A object at ...>") == "<A object at ...>");
  CHECK(mask_addresses(" object at 0x") == " object at ...");
  CHECK(mask_addresses("").empty());
}

TEST_CASE("equal texts have no diff") { CHECK(unified_diff("a", "1\n2\n", "b", "1\n2\n").empty()); }

TEST_CASE("a diff shows changed lines with three lines around them") {
  CHECK(unified_diff("golden", "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "gradlab", "1\n2\n3\n4\nfive\n6\n7\n8\n9\n") ==
        "--- golden\n+++ gradlab\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n");
}

TEST_CASE("changes that are far apart stand in hunks of their own") {
  CHECK(unified_diff("a", "x\n1\n2\n3\n4\n5\n6\n7\ny\n", "b", "1\n2\n3\n4\n5\n6\n7\n") ==
        "--- a\n+++ b\n@@ -1,4 +1,3 @@\n-x\n 1\n 2\n 3\n@@ -6,4 +5,3 @@\n 5\n 6\n 7\n-y\n");
}

TEST_CASE("a diff with an empty text and one without a last newline are told") {
  CHECK(unified_diff("a", "", "b", "1\n") == "--- a\n+++ b\n@@ -0,0 +1 @@\n+1\n");
  CHECK(unified_diff("a", "1\n", "b", "1") == "--- a\n+++ b\n@@ -1 +1 @@\n-1\n+1\n\\ No newline at end of file\n");
}
