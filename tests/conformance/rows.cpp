#include "tests/conformance/rows.h"

#include "tests/conformance/printing.h"

namespace gradlab::conformance {

using nlohmann::json;

std::vector<Row> RowReader::next(std::size_t limit) {
  std::vector<Row> rows;
  std::string line;
  while (rows.size() < limit && left_ > 0 && next_line(line)) {
    --left_;
    // Finding a program among thousands needs no parsing of the others.
    if (id_ && line.find('"' + *id_ + '"') == std::string::npos) continue;
    Row row{parse(line), lines_->where()};
    if (!id_ || row.content.value("id", "") == *id_) rows.push_back(std::move(row));
  }
  return rows;
}

bool RowReader::next_line(std::string& line) {
  for (;;) {
    while (lines_ && lines_->next(line)) {
      if (!line.empty()) return true;
    }
    if (opened_ == files_.size()) return false;
    lines_.emplace(files_[opened_++]);
  }
}

json RowReader::parse(const std::string& line) const {
  json content = json::parse(line, nullptr, false);
  if (content.is_discarded()) throw InputError(lines_->where() + ": not JSON");
  if (!content.is_object() || (!content.contains("steps") && !is_printing(content))) {
    throw InputError(lines_->where() + ": neither a program (\"steps\") nor a row of printing.jsonl (\"tag\")");
  }
  return content;
}

}  // namespace gradlab::conformance
