#include "tests/conformance/run.h"

#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/conformance/describe.h"
#include "tests/conformance/isolate.h"
#include "tests/conformance/lines.h"
#include "tests/conformance/report.h"
#include "tests/conformance/rows.h"

namespace gradlab::conformance {
namespace {

using nlohmann::json;

KnownPrograms known_programs(const Options& options) {
  const std::string standard = GRADLAB_SOURCE_DIR "/tests/conformance/known.txt";
  if (options.known) return read_known(*options.known);
  return std::filesystem::exists(standard) ? read_known(standard) : KnownPrograms();
}

void require_well_formed(const Row& row, const Outcome& outcome) {
  if (!outcome.malformed.empty()) throw InputError(row.where + ": malformed: " + outcome.malformed);
}

// Exit status.
int finish(const Report& report) {
  report.print_totals();
  std::cout.flush();
  if (!std::cout) {
    std::cerr << "gradlab-conformance: the output cannot be written\n";
    return 3;
  }
  return report.passed() ? 0 : 1;
}

int show(const Options& options, const ReplayOptions& replay_options) {
  RowReader reader(options.files, options.first, options.show);
  const std::vector<Row> rows = reader.next(1);
  if (rows.empty()) throw UsageError("no program has the id " + *options.show);
  std::size_t number = 0;
  for (const json& step : rows[0].content.at("steps")) {
    std::cout << ++number << "  " << describe(step) << '\n';
    const json& then = step.at("then");
    if (then.contains("error")) {
      std::cout << "     " << then["error"].value("type", "") << ": " << then["error"].value("message", "") << '\n';
    }
  }
  std::cout << std::flush;
  const Outcome outcome = check(rows[0], replay_options);
  require_well_formed(rows[0], outcome);
  Report report(std::cout, {});
  report.add(outcome);
  return finish(report);
}

}  // namespace

int run(const Options& options) {
  constexpr std::size_t kRowsPerChild = 200;
  const ReplayOptions replay_options{.keeps_going = options.keep_going};
  if (options.show) return show(options, replay_options);
  Report report(std::cout, known_programs(options));
  RowReader reader(options.files, options.first, options.show);
  for (std::vector<Row> rows = reader.next(kRowsPerChild); !rows.empty(); rows = reader.next(kRowsPerChild)) {
    const std::vector<Outcome> outcomes = check_isolated(rows, replay_options);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      require_well_formed(rows[i], outcomes[i]);
      report.add(outcomes[i]);
    }
  }
  if (report.total() == 0) throw InputError("there is no row in " + options.files[0]);
  if (options.summary) report.print_summary();
  return finish(report);
}

}  // namespace gradlab::conformance
