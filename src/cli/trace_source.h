// Where a subcommand's trace comes from: an experiment that is run now, or a file that was recorded before.
#pragma once

#include <string>
#include <vector>

#include "src/cli/command.h"
#include "src/lab/event.h"

namespace gradlab {

struct TraceOptions {
  std::vector<std::string> names;
  std::string from;
  std::vector<std::string> settings;
  std::string device = "cpu";
};

// Adds NAME, --from, --set and --device.
void add_trace_options(CommandParser& parser, TraceOptions& options);

// One trace for each experiment named, or that of the file. `command` stands in error texts. Throws UsageError,
// DeviceError.
std::vector<trace::Trace> traces_of(const TraceOptions& options, std::string_view command);

// Throws UsageError when there is no such file, or when it holds no trace.
trace::Trace read_trace(const std::string& path);

}  // namespace gradlab
