// One row of printing.jsonl, formatted by the engine and compared.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "tests/conformance/replay.h"

namespace gradlab::conformance {

// Whether a row is one of printing.jsonl rather than a program.
bool is_printing(const nlohmann::json& row);

// `id` names the row in the outcome. A row that gives no values ("repr") must be what one of the tensors at the end of
// printing.py prints as; which one it does not say.
Outcome check_printing(const nlohmann::json& row, const std::string& id);

}  // namespace gradlab::conformance
