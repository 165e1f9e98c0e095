#pragma once

// Private to monitors/.

#include <string>
#include <vector>

#include "monitors/drawing/dot_text.h"
#include "monitors/drawing/scope_figures.h"

namespace eventspace {

// How what was measured of a scope looks in its picture.

/// Of the arrow or frame of what has this share of the time, 0 to 1.
const char* heat_colour(double share);
/// What stands above the picture: `title`, the whole, what was lost and missing, and how to read the rest.
std::string legend_of(const std::string& title, const ScopeFigures& figures);
/// Adds the times of a part, and what it missed, to the lines and the looks of its box.
void draw_times(const ScopeFigures& figures, const ScopeFigures::Part& part, std::vector<std::string>& lines,
                DotText::Attributes& box);
/// Adds what a part yields, and how hot it is, to the arrow between it and the part above.
void draw_yield(const ScopeFigures& figures, const ScopeFigures::Part& part, DotText::Attributes& arrow);

}  // namespace eventspace
