// The chapter's four scripts: other renderings of the same experiments.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "src/lab/render.h"
#include "src/lab/scenario.h"

namespace gradlab {

struct Script {
  std::string_view name;        // the chapter's file without ".py"; also its golden's name
  std::string_view short_name;  // "01"
  std::string_view shows;       // one line
  std::span<const Scenario* const> scenarios;
  // What the script prints. REQUIRES: one report for each of `scenarios`, in that order.
  std::string (*render)(std::span<const Report> reports, RenderOptions options);
};

// The four scripts, then `all`, which prints what the fourth does.
std::span<const Script> all_scripts();

// By name or short name; null when there is none.
const Script* find_script(std::string_view name);

}  // namespace gradlab
