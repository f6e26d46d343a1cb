// A trace for people, and the first event in which two traces differ.
#pragma once

#include <optional>
#include <string>

#include "src/lab/event.h"

namespace gradlab {

// "write            x2: 3 -> 30, version 0 -> 1", without a newline.
std::string event_text(const trace::Event& event);

// All runs, step by step, an event a line.
std::string trace_text(const trace::Trace& trace);

// Where two traces part: a text that names run, step and event and what differs in it; nothing when they are equal.
// Compared are steps and events in their order. Where a statement stands in a file does not count, nor do fingerprints
// when two programs made the traces.
std::optional<std::string> first_difference(const trace::Trace& a, const trace::Trace& b);

}  // namespace gradlab
