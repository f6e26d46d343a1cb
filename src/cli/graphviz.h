// Graphviz as a program beside this one.
#pragma once

#include <string>

namespace gradlab {

// The SVG document that Graphviz's `dot` makes of `dot_text`. Throws EnvironmentError when there is no such program or
// it fails.
std::string svg_from_dot(const std::string& dot_text);

}  // namespace gradlab
