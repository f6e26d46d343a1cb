// Reports as text and as JSON.
#pragma once

#include <span>
#include <string>

#include "src/lab/report.h"

namespace gradlab {

struct RenderOptions {
  bool with_addresses = false;  // real addresses in place of "..."
};

// The printed observations, a line each.
std::string render_text(const Report& report, RenderOptions options = {});

// One document for all reports, ending in a newline; docs/json.md describes it.
std::string render_json(std::span<const Report> reports, RenderOptions options = {});

constexpr int kJsonSchema = 1;

}  // namespace gradlab
