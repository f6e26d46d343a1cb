#include "src/lab/golden_diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace gradlab {
namespace {

struct DiffLine {
  char mark;  // ' ', '-' or '+'
  std::string_view text;
  std::size_t expected_before;  // lines of `expected` that precede it
  std::size_t actual_before;
};

// A last line without a newline keeps that difference: it comes with git's note.
std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t length = std::min(text.find('\n'), text.size() - 1) + 1;
    lines.push_back(text.substr(0, length));
    text.remove_prefix(length);
  }
  return lines;
}

// By longest common subsequence; goldens are short.
std::vector<DiffLine> diff_lines(const std::vector<std::string_view>& a, const std::vector<std::string_view>& b) {
  std::vector<std::vector<std::size_t>> common(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = a.size(); i-- > 0;) {
    for (std::size_t j = b.size(); j-- > 0;) {
      common[i][j] = a[i] == b[j] ? common[i + 1][j + 1] + 1 : std::max(common[i + 1][j], common[i][j + 1]);
    }
  }
  std::vector<DiffLine> lines;
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.size() || j < b.size()) {
    if (i < a.size() && j < b.size() && a[i] == b[j]) {
      lines.push_back({' ', a[i], i, j});
      ++i, ++j;
    } else if (j == b.size() || (i < a.size() && common[i + 1][j] >= common[i][j + 1])) {
      lines.push_back({'-', a[i], i, j});
      ++i;
    } else {
      lines.push_back({'+', b[j], i, j});
      ++j;
    }
  }
  return lines;
}

std::string range(std::size_t before, std::size_t count) {
  const std::size_t start = count == 0 ? before : before + 1;
  return count == 1 ? fmt::format("{}", start) : fmt::format("{},{}", start, count);
}

std::string hunk(const std::vector<DiffLine>& lines, std::size_t begin, std::size_t end) {
  std::size_t expected_count = 0;
  std::size_t actual_count = 0;
  std::string body;
  for (std::size_t k = begin; k < end; ++k) {
    const DiffLine& line = lines[k];
    expected_count += line.mark == '+' ? 0 : 1;
    actual_count += line.mark == '-' ? 0 : 1;
    body += line.mark;
    body += line.text;
    if (!line.text.ends_with('\n')) body += "\n\\ No newline at end of file\n";
  }
  return fmt::format("@@ -{} +{} @@\n{}", range(lines[begin].expected_before, expected_count),
                     range(lines[begin].actual_before, actual_count), body);
}

}  // namespace

std::string golden_file_name(std::string_view output, Device device) {
  return fmt::format("{}{}.txt", output, device == Device::kCpu ? "" : ".cuda");
}

std::string mask_addresses(std::string_view text) {
  constexpr std::string_view kBefore = " object at 0x";
  std::string masked;
  while (true) {
    const std::size_t found = text.find(kBefore);
    if (found == std::string_view::npos) return masked.append(text);
    masked.append(text.substr(0, found + kBefore.size() - 2)).append("...");
    text.remove_prefix(found + kBefore.size());
    text.remove_prefix(std::min(text.find_first_not_of("0123456789abcdefABCDEF"), text.size()));
  }
}

std::string unified_diff(std::string_view expected_name, std::string_view expected, std::string_view actual_name,
                         std::string_view actual) {
  constexpr std::size_t kContext = 3;
  if (expected == actual) return "";
  const std::vector<std::string_view> expected_lines = lines_of(expected);
  const std::vector<std::string_view> actual_lines = lines_of(actual);
  const std::vector<DiffLine> lines = diff_lines(expected_lines, actual_lines);

  std::string diff = fmt::format("--- {}\n+++ {}\n", expected_name, actual_name);
  const auto next_change = [&](std::size_t from) {
    while (from < lines.size() && lines[from].mark == ' ') ++from;
    return from;
  };
  for (std::size_t change = next_change(0); change < lines.size();) {
    const std::size_t begin = change - std::min(change, kContext);
    std::size_t last = change;  // the hunk's last change
    for (std::size_t next = next_change(last + 1); next < lines.size() && next - last <= 2 * kContext + 1;) {
      last = next;
      next = next_change(last + 1);
    }
    diff += hunk(lines, begin, std::min(lines.size(), last + 1 + kContext));
    change = next_change(last + 1);
  }
  return diff;
}

}  // namespace gradlab
