// What came out of one run of an experiment: plain data, made by Lab and turned into text by renderers.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kernels/device.h"
#include "src/lab/parameter.h"
#include "src/lab/step.h"
#include "src/lab/value.h"

namespace gradlab {

struct Observation {
  std::string key;    // unique within the experiment: "x.grad"
  std::string label;  // what stands before the value on its line: "x.grad: "
  Value value;
  bool is_printed = true;  // false: only in the JSON document and for renderers that combine values
};

struct StepRecord {
  int number;
  StepRole role;
  std::string code;
  std::string file;
  int line;
  std::optional<ErrorValue> error;  // what it raised
};

// What the experiment says about autograd, and whether this run showed it.
struct Claim {
  std::string text;
  bool holds;
};

struct Report {
  std::string name;
  std::string section;
  Device device = Device::kCpu;
  std::vector<Parameter> parameters;
  std::vector<StepRecord> steps;
  std::vector<Observation> observations;
  std::vector<Claim> claims;

  bool is_reproduced() const;  // every claim holds
  // The value observed under `key`. Throws std::out_of_range when there is none.
  const Value& value(std::string_view key) const;
  // The same, for a value known to be of one type. Throws std::bad_variant_access when it is of another.
  template <class T>
  const T& value_as(std::string_view key) const {
    return std::get<T>(value(key));
  }
};

}  // namespace gradlab
