#include "tests/conformance/options.h"

namespace gradlab::conformance {

const char* const kUsage =
    R"(usage: gradlab-conformance FILE.jsonl[.gz]... [--first N] [--show ID] [--summary] [--keep-going] [--known FILE]

Replays recorded programs (or rows of printing.jsonl) on the engine and compares with what PyTorch showed: names,
versions, flags, shapes, strides and error texts exactly, values within rounding. A program that blows up the last bits of
exp, gelu or a sum is replayed with noise in those bits; its values may differ by as much as that moves them, and it is
named. Prints each difference and ends with the line "N of M identical".

  --first N      only the first N rows of all files together
  --show ID      only the program ID: its steps and what differs, in this process (for a debugger)
  --summary      groups the programs by the kind of their first difference, after the differences
  --keep-going   goes on in a program after its first step that differs
  --known FILE   programs that PyTorch leaves undefined, one "ID REASON" a line; they count as passed, not as identical
                 (default: tests/conformance/known.txt where it exists)

Exit status: 0 all identical, or known to differ; 1 not; 2 usage, or an input that cannot be used; 3 the environment.
)";

namespace {

std::size_t count(const std::string& text) {
  std::size_t used = 0;
  unsigned long long value = 0;
  try {
    value = std::stoull(text, &used);
  } catch (const std::exception&) {
  }
  if (used != text.size() || text.starts_with('-') || value == 0) {
    throw UsageError("--first needs a whole number of 1 or more, not " + text);
  }
  return value;
}

}  // namespace

Options parse_options(const std::vector<std::string>& arguments) {
  Options options;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    const auto value = [&]() -> const std::string& {
      if (i + 1 == arguments.size()) throw UsageError(argument + " needs a value");
      return arguments[++i];
    };
    if (argument == "--help" || argument == "-h") {
      options.help = true;
    } else if (argument == "--first") {
      options.first = count(value());
    } else if (argument == "--show") {
      options.show = value();
    } else if (argument == "--known") {
      options.known = value();
    } else if (argument == "--summary") {
      options.summary = true;
    } else if (argument == "--keep-going") {
      options.keep_going = true;
    } else if (argument.starts_with('-')) {
      throw UsageError("there is no option " + argument);
    } else {
      options.files.push_back(argument);
    }
  }
  if (options.files.empty() && !options.help) throw UsageError("name at least one FILE.jsonl or FILE.jsonl.gz");
  return options;
}

}  // namespace gradlab::conformance
