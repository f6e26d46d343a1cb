// A trace as JSON lines (docs/trace-schema.md), written and read.
#pragma once

#include <string>
#include <string_view>

#include "src/lab/event.h"

namespace gradlab {

constexpr int kTraceSchemaVersion = 1;

// One object a line, header first. Deterministic.
std::string trace_to_json_lines(const trace::Trace& trace);

// The words that the events use in JSON: "save_for_backward", "op", "ctx"; "ok", "stale", "freed"; "view".
std::string_view word_of(trace::SavedBy by);
std::string_view word_of(trace::UnpackOutcome outcome);
std::string_view word_of(trace::Origin origin);
std::string_view word_of(trace::RunKind kind);
// The `kind` of an event: "ghost_write".
std::string_view kind_of(const trace::Event& event);
// An event's line without its newline.
std::string event_to_json(const trace::Event& event);

// What trace_to_json_lines, or another program, wrote. `name` stands in error texts for the file. Fields and kinds that
// are not known are skipped. Throws UsageError that names the line: "FILE:12: ...".
trace::Trace trace_from_json_lines(std::string_view text, std::string_view name);

}  // namespace gradlab
