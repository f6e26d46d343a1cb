// Runs the steps of a recorded program on the engine: programs.py's Machine.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "src/tensor/tensor.h"
#include "tests/conformance/functions.h"

namespace gradlab::conformance {

// The Python exception's type and text; "not a Python error" as type for anything else that the engine threw.
struct StepError {
  std::string type;
  std::string message;
};

class Machine {
 public:
  // The error that the step raised, if any. A step that this machine does not know is such an error as well. Throws
  // nlohmann::json::exception when the step lacks an argument.
  std::optional<StepError> run(const nlohmann::json& step);

  // The live tensors in the order in which their names appeared.
  const std::vector<std::pair<std::string, Tensor>>& tensors() const { return tensors_; }

 private:
  std::vector<Argument> arguments(const nlohmann::json& step) const;
  void execute(const nlohmann::json& step);
  void store(const std::string& name, const Tensor& tensor);
  void store(const nlohmann::json& names, const TensorList& tensors);
  void erase(const std::string& name);
  void gradients(const nlohmann::json& step, const std::vector<Argument>& in);

  std::vector<std::pair<std::string, Tensor>> tensors_;
};

}  // namespace gradlab::conformance
