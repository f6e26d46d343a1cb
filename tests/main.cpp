// Runs the test-cases (options: --help) and closes with one line that counts passed, failed and skipped ones.
// Exit status: 0 all passed, 1 a failure, 2 no test-case ran.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <iostream>
#include <map>
#include <set>
#include <string>

#include "tests/skip.h"

namespace gradlab::test {
namespace {

// The reason of each skip and the test-cases it stopped.
std::map<std::string, std::set<std::string>>& skips() {
  static std::map<std::string, std::set<std::string>> skips;
  return skips;
}

// What the runner counted; filled at the end of the run.
doctest::TestRunStats& totals() {
  static doctest::TestRunStats totals{};
  return totals;
}

struct Totals : doctest::IReporter {
  explicit Totals(const doctest::ContextOptions&) {}
  void test_run_end(const doctest::TestRunStats& stats) override { totals() = stats; }

  void report_query(const doctest::QueryData&) override {}
  void test_run_start() override {}
  void test_case_start(const doctest::TestCaseData&) override {}
  void test_case_reenter(const doctest::TestCaseData&) override {}
  void test_case_end(const doctest::CurrentTestCaseStats&) override {}
  void test_case_exception(const doctest::TestCaseException&) override {}
  void subcase_start(const doctest::SubcaseSignature&) override {}
  void subcase_end() override {}
  void log_assert(const doctest::AssertData&) override {}
  void log_message(const doctest::MessageData&) override {}
  void test_case_skipped(const doctest::TestCaseData&) override {}
};
REGISTER_LISTENER("totals", 1, Totals);

}  // namespace

void skip(const std::string& reason) { skips()[reason].insert(doctest::getContextOptions()->currentTest->m_name); }

}  // namespace gradlab::test

int main(int argc, char** argv) {
  doctest::Context context(argc, argv);
  const int status = context.run();
  // Only a question was asked (--help, --list-test-cases): nothing was to run.
  if (context.shouldExit()) return status;

  const doctest::TestRunStats& totals = gradlab::test::totals();
  std::set<std::string> skipped;
  for (const auto& [reason, names] : gradlab::test::skips()) {
    std::cout << "skipped, " << reason << ":\n";
    for (const std::string& name : names) std::cout << "  " << name << '\n';
    skipped.insert(names.begin(), names.end());
  }
  const auto failed = totals.numTestCasesFailed;
  const auto ran = totals.numTestCasesPassingFilters;
  std::cout << "gradlab tests: " << ran - failed - static_cast<unsigned>(skipped.size()) << " passed, " << failed
            << " failed, " << skipped.size() << " skipped\n";
  if (ran == 0) {
    std::cout << "gradlab tests: no test-case ran\n";
    return 2;
  }
  return status;
}
