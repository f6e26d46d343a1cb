// The word that a misspelt one was probably meant to be.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace gradlab {

// Insertions, deletions, replacements and swaps of neighbours that turn `a` into `b`.
std::size_t edit_distance(std::string_view a, std::string_view b);

// The candidate nearest to `word`, empty when none is near: more than a third of its letters would change.
std::string_view nearest(std::string_view word, std::span<const std::string_view> candidates);

// ": did you mean 'x'?" or "".
std::string did_you_mean(std::string_view word, std::span<const std::string_view> candidates);

}  // namespace gradlab
