#include "src/lab/parameter.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <optional>

#include "src/lab/nearest.h"
#include "src/lab/usage_error.h"

namespace gradlab {
namespace {

std::string_view trimmed(std::string_view text) {
  const auto is_space = [](char c) { return c == ' ' || c == '\t' || c == '\n'; };
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

std::optional<double> number(std::string_view text) {
  text = trimmed(text);
  if (text.size() > 1 && text.front() == '+' && text[1] != '-') text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::invalid_argument || end != text.data() + text.size()) return std::nullopt;
  // Too large is inf and too small is 0, as in Python; from_chars says neither.
  if (error == std::errc::result_out_of_range) return std::strtod(std::string(text).c_str(), nullptr);
  return value;
}

std::string_view form_of(ParameterKind kind) {
  switch (kind) {
    case ParameterKind::kValues:
      return "numbers separated by commas";
    case ParameterKind::kNumber:
      return "a number";
    case ParameterKind::kCount:
      return "a whole number from 1 to 100000000";
    case ParameterKind::kWord:
      return "a word";
  }
  return "";
}

[[noreturn]] void refuse(std::string_view name, ParameterKind kind, std::string_view problem,
                         std::string_view example) {
  throw UsageError(
      fmt::format("--set {0}: {1}; {0} takes {2}, such as {0}={3}", name, problem, form_of(kind), example));
}

std::string not_a_number(std::string_view text) {
  text = trimmed(text);
  return text.empty() ? "a number is missing" : fmt::format("'{}' is not a number", text);
}

}  // namespace

std::string accepted_form(const ParameterSpec& spec) {
  if (spec.kind != ParameterKind::kWord) return std::string(form_of(spec.kind));
  return fmt::format("{}", fmt::join(spec.choices, " or "));
}

Setting parse_setting(std::string_view argument) {
  const std::size_t equals = argument.find('=');
  const std::string_view name = trimmed(argument.substr(0, equals));
  if (equals == std::string_view::npos || name.empty()) {
    throw UsageError(fmt::format("--set takes NAME=VALUE, such as --set x=5, not '{}'", argument));
  }
  return {std::string(name), std::string(trimmed(argument.substr(equals + 1)))};
}

std::vector<double> parse_values(std::string_view name, std::string_view text) {
  constexpr auto kKind = ParameterKind::kValues;
  text = trimmed(text);
  if (text.size() >= 2 && text.front() == '[' && text.back() == ']') text = trimmed(text.substr(1, text.size() - 2));
  if (text.empty()) refuse(name, kKind, "the list is empty", "-3,0,3");
  std::vector<double> values;
  while (true) {
    const std::size_t comma = text.find(',');
    const std::string_view element = text.substr(0, comma);
    const std::optional<double> value = number(element);
    if (!value) refuse(name, kKind, not_a_number(element), "-3,0,3");
    values.push_back(*value);
    if (comma == std::string_view::npos) return values;
    text.remove_prefix(comma + 1);
  }
}

double parse_number(std::string_view name, std::string_view text) {
  const std::optional<double> value = number(text);
  if (!value) refuse(name, ParameterKind::kNumber, not_a_number(text), "10");
  return *value;
}

std::int64_t parse_count(std::string_view name, std::string_view text) {
  const std::optional<double> value = number(text);
  if (!value) refuse(name, ParameterKind::kCount, not_a_number(text), "1000");
  if (*value != std::floor(*value)) {
    refuse(name, ParameterKind::kCount, fmt::format("'{}' is not a whole number", trimmed(text)), "1000");
  }
  if (!(*value >= 1 && *value <= static_cast<double>(kMaxCount))) {
    refuse(name, ParameterKind::kCount, fmt::format("'{}' is out of range", trimmed(text)), "1000");
  }
  return static_cast<std::int64_t>(*value);
}

std::string_view parse_word(const ParameterSpec& spec, std::string_view text) {
  text = trimmed(text);
  for (const std::string_view choice : spec.choices) {
    if (choice == text) return choice;
  }
  throw UsageError(fmt::format("--set {}: {} takes {}, not '{}'{}", spec.name, spec.name, accepted_form(spec), text,
                               did_you_mean(text, spec.choices)));
}

std::vector<Parameter> resolve_parameters(std::span<const ParameterSpec> specs, std::span<const Setting> settings) {
  std::vector<Parameter> parameters;
  std::size_t value_count = 0;
  for (const ParameterSpec& spec : specs) {
    const bool is_count = spec.kind == ParameterKind::kCount;
    std::string text = is_count ? std::to_string(value_count) : std::string(spec.default_text);
    for (const Setting& setting : settings) {
      if (setting.name == spec.name) text = setting.text;
    }
    std::vector<double> values;
    switch (spec.kind) {
      case ParameterKind::kValues:
        values = parse_values(spec.name, text);
        value_count = values.size();
        break;
      case ParameterKind::kNumber:
        values = {parse_number(spec.name, text)};
        break;
      case ParameterKind::kCount:
        values = {static_cast<double>(parse_count(spec.name, text))};
        break;
      case ParameterKind::kWord:
        text = parse_word(spec, text);
        break;
    }
    parameters.push_back({std::string(spec.name), spec.kind, std::move(text), std::move(values)});
  }
  return parameters;
}

std::string accepted_parameters(std::span<const ParameterSpec> specs) {
  std::string list;
  for (const ParameterSpec& spec : specs) {
    list += fmt::format("{}{} ({})", list.empty() ? "" : ", ", spec.name, accepted_form(spec));
  }
  return list;
}

}  // namespace gradlab
