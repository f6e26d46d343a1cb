// The rows of the input files, one after another.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tests/conformance/lines.h"

namespace gradlab::conformance {

// A line of the input: a program, or a row of printing.jsonl.
struct Row {
  nlohmann::json content;
  std::string where;  // FILE:LINE
};

class RowReader {
 public:
  // Of all files together only the first `first` rows, and of those only the program named `id`, if one is named.
  RowReader(std::vector<std::string> files, std::size_t first, std::optional<std::string> id = std::nullopt)
      : files_(std::move(files)), left_(first), id_(std::move(id)) {}

  // The next rows, at most `limit`; none at the end. Throws InputError.
  std::vector<Row> next(std::size_t limit);

 private:
  bool next_line(std::string& line);
  nlohmann::json parse(const std::string& line) const;

  std::vector<std::string> files_;
  std::size_t opened_ = 0;
  std::optional<LineReader> lines_;
  std::size_t left_;
  std::optional<std::string> id_;
};

}  // namespace gradlab::conformance
