#include "src/lab/render.h"

namespace gradlab {

std::string render_text(const Report& report, RenderOptions options) {
  std::string text;
  for (const Observation& observation : report.observations) {
    if (!observation.is_printed) continue;
    text += observation.label + text_of(observation.value, options.with_addresses) + "\n";
  }
  return text;
}

}  // namespace gradlab
