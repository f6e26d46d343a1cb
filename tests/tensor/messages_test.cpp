// docs/messages.md is complete and true: it names each message of messages.h, and has the very words of messages_*.cpp.
#include "src/tensor/messages.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "tests/files.h"
#include "tests/text.h"

using namespace gradlab;
using test::replaced;

namespace {

std::set<std::string> found(const std::string& text, const std::regex& pattern) {
  std::set<std::string> names;
  for (std::sregex_iterator match(text.begin(), text.end(), pattern), end; match != end; ++match) names.insert((*match)[1]);
  return names;
}

// What stands between the placeholders of a text, if it is long enough to mean something.
std::vector<std::string> fragments_of(const std::string& text) {
  static const std::regex placeholder(R"(\{[^{}]*\})");
  std::vector<std::string> fragments;
  std::copy_if(std::sregex_token_iterator(text.begin(), text.end(), placeholder, -1), std::sregex_token_iterator(),
               std::back_inserter(fragments), [](const std::string& fragment) { return fragment.size() >= 12; });
  return fragments;
}

// messages_*.cpp from their first section on, with wrapped literals joined and quotes unescaped.
std::string source() {
  std::string text;
  for (const char* part : {"shapes", "writes", "backward", "functions", "gradcheck"}) {
    const std::string file = test::read_file("src/tensor/messages_" + std::string(part) + ".cpp");
    text += file.substr(file.find("// ---- "));
  }
  return replaced(std::regex_replace(text, std::regex(R"("\s*\n\s*")"), ""), "\\\"", "\x01");
}

std::string table() { return test::read_file("docs/messages.md"); }

}  // namespace

TEST_CASE("docs/messages.md names every message, and no other") {
  const std::string header = test::read_file("src/tensor/messages.h");
  std::set<std::string> declared = found(header, std::regex(R"((?:Error|std::string) (\w+)\()"));
  declared.merge(found(header, std::regex(R"(extern const char\* const (\w+);)")));
  const std::set<std::string> documented = found(table(), std::regex(R"(\n\| `(\w+)` \|)"));
  CHECK(declared.size() > 100);
  for (const std::string& name : declared) CHECK_MESSAGE(documented.contains(name), name, " is missing in docs/messages.md");
  for (const std::string& name : documented) CHECK_MESSAGE(declared.contains(name), name, " is no message any more");
}

TEST_CASE("docs/messages.md has the words of every text") {
  const std::string documented = table();
  for (const std::string& literal : found(source(), std::regex(R"re("([^"]*)")re"))) {
    for (const std::string& fragment : fragments_of(replaced(literal, "\x01", "\""))) {
      const std::size_t last = fragment.find_last_not_of(' ');
      CHECK_MESSAGE(documented.find(fragment.substr(0, last + 1)) != std::string::npos, fragment, " is missing in docs/messages.md");
    }
  }
}

TEST_CASE("every documented message has a rule") {
  static const std::regex row(R"(\n\| `\w+` \| .+ \| (.*) \| .* \|)");
  for (const std::string& rule : found(table(), row)) CHECK_FALSE(rule.empty());
}

TEST_CASE("a node's name is shortened in two texts only") {
  const auto shortened = [](const char* name) {
    const std::string text = messages::saved_version("T", {}, name, 0, 1, 0, false).what();
    const std::string start = "which is output 0 of ";
    const std::size_t from = text.find(start) + start.size();
    return text.substr(from, text.find(',', from) - from);
  };
  CHECK(shortened("XBackward") == "X");
  CHECK(shortened("XBackward0") == "X");
  CHECK(shortened("XBackward1") == "X1");
  CHECK(shortened("XBackward10") == "X10");
  CHECK(shortened("XBackward00") == "X00");
  CHECK(shortened("XBackwardBackward0") == "XBackward");
  CHECK(shortened("XBackward0Backward") == "XBackward0");
  CHECK(shortened("BackwardX") == "BackwardX");
  CHECK(shortened("X0") == "X0");
  CHECK(shortened("XBackward0x") == "XBackward0x");
  CHECK(shortened("CopyBackwards") == "CopyBackwards");
  CHECK(std::string(messages::wrong_gradient_count("MulBackward0", 1, 2).what()).starts_with("function MulBackward0 returned"));
  CHECK(std::string(messages::invalid_gradient_shape("XBackward", 0, {}, {}).what()).starts_with("Function XBackward returned"));
}

TEST_CASE("an error has the Python exception's name") {
  CHECK(std::string(messages::freed().type_name()) == "RuntimeError");
  CHECK(std::string(messages::index_of_scalar().type_name()) == "IndexError");
  CHECK(std::string(messages::gradcheck_needs_input().type_name()) == "ValueError");
  CHECK(std::string(messages::not_implemented_for("k", DType::kBool).type_name()) == "NotImplementedError");
  CHECK(std::string(messages::gradcheck_not_multiplied().type_name()) == "GradcheckError");
  CHECK(std::string(python_name(ErrorType::kTypeError)) == "TypeError");
}
