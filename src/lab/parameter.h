// What can be changed about an experiment: `--set NAME=VALUE`.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gradlab {

enum class ParameterKind : std::uint8_t {
  kValues,  // numbers separated by commas: the elements of an input, repeated or cut to `n` elements
  kNumber,  // one number
  kCount,   // a whole number from 1 to kMaxCount
  kWord,    // one of `choices`
};

constexpr std::int64_t kMaxCount = 100'000'000;

struct ParameterSpec {
  std::string_view name;
  ParameterKind kind;
  std::string_view default_text;  // as after `NAME=`; unused for a count, whose default is the number of values given
  std::string_view meaning;
  std::span<const std::string_view> choices = {};  // kWord
};

// The two parameters that every experiment with one input has.
constexpr ParameterSpec input_parameter(std::string_view default_text) {
  return {"x", ParameterKind::kValues, default_text, "the input's elements, `values` in the steps"};
}
inline constexpr ParameterSpec kCountParameter = {"n", ParameterKind::kCount, "",
                                                  "elements of the input: x is repeated, or cut, to n"};

// What a parameter accepts: "numbers separated by commas", "arithmetic or kernel".
std::string accepted_form(const ParameterSpec& spec);

// One `--set NAME=VALUE`.
struct Setting {
  std::string name;
  std::string text;
};

// Throws UsageError when there is no '=' or no name.
Setting parse_setting(std::string_view argument);

// Numbers as Python writes them, in brackets or not: "3", "-3,0,3", "[1e-3, nan, inf]". Throws UsageError.
std::vector<double> parse_values(std::string_view name, std::string_view text);
double parse_number(std::string_view name, std::string_view text);
std::int64_t parse_count(std::string_view name, std::string_view text);
std::string_view parse_word(const ParameterSpec& spec, std::string_view text);  // one of its choices

// A parameter with the value it has in one run.
struct Parameter {
  std::string name;
  ParameterKind kind;
  std::string text;            // as given, or the default
  std::vector<double> values;  // kValues: as given, not yet repeated; kWord: none; otherwise the one number
};

// One entry for each spec; of several settings with one name the last counts, and those of other names are left alone.
// Throws UsageError. REQUIRES: a count stands after the values it counts.
std::vector<Parameter> resolve_parameters(std::span<const ParameterSpec> specs, std::span<const Setting> settings);

// "x (numbers separated by commas), factor (a number)"
std::string accepted_parameters(std::span<const ParameterSpec> specs);

}  // namespace gradlab
