// What a run's events say about right and wrong. Functions of the events and of nothing else.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "src/lab/event.h"

namespace gradlab {

// Backward read something that had been written since it was saved.
struct StaleRead {
  std::string tensor;
  int node = 0;
  std::string node_name;  // "UnsafeSquareBackward"
  trace::SavedBy by = trace::SavedBy::kOp;
  std::string attribute;
  int saved_step = 0;
  int written_step = 0;            // the first one since then that wrote, 0 if no event tells
  std::vector<int> written_steps;  // all of them
  int read_step = 0;
  bool is_ghost = false;    // the first write was behind the version counter
  bool is_refused = false;  // the version check raised an error
  bool is_changed = false;  // the content differs, to the last bit
  std::uint32_t saved_version = 0;
  std::uint32_t read_version = 0;
  trace::Content saved;
  trace::Content read;
};

// In the order of reading.
std::vector<StaleRead> stale_reads(const trace::Run& run);
// The first one whose content changed; if there is none, the first one.
std::optional<StaleRead> first_stale_read(const trace::Run& run);

// The last gradient of each leaf.
std::map<std::string, trace::Content> gradients(const trace::Run& run);

// The leaves whose gradient in `frozen` is another number, or is missing in `run`. Unlike contents, 0 equals -0 here;
// elements that the trace does not keep are compared to the last bit.
std::set<std::string> damaged_leaves(const trace::Run& run, const trace::Run& frozen);

// An error and the step that it ended.
struct RaisedError {
  int step = 0;
  trace::ErrorRaised error;
};
std::vector<RaisedError> errors(const trace::Run& run);

enum class Verdict : std::uint8_t {
  kLoud,           // an error was raised
  kSilentlyWrong,  // none was, and a gradient is not the one that the saved values give
  kRight,
};

// `frozen`: the run with private copies; null: judged by whether backward read changed content alone.
Verdict verdict_on(const trace::Run& run, const trace::Run* frozen);

// The first run of this kind, or null.
const trace::Run* find_run(const trace::Trace& trace, trace::RunKind kind);

// The step of this number. Throws std::out_of_range.
const trace::Step& step_of(const trace::Run& run, int number);

}  // namespace gradlab
