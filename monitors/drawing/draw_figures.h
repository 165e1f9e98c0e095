#pragma once

// Private to monitors/.

#include <string>
#include <vector>

#include "monitors/drawing/dot_text.h"
#include "monitors/drawing/scope_figures.h"

namespace eventspace {

// The looks of measurements in the picture of a scope. Pure functions.

/// The colour of the arrow or frame of a part that takes `share` (0 to 1) of the time.
const char* heat_colour(double share);
/// The text above the picture: `title`, the figures of whole pulls, losses, missing parts, and how to read
/// the picture.
std::string legend_of(const std::string& title, const ScopeFigures& figures);
/// Adds the times of a part and how often it was missing to the lines and attributes of its box.
void draw_times(const ScopeFigures& figures, const ScopeFigures::Part& part, std::vector<std::string>& lines,
                DotText::Attributes& box);
/// Adds the records that a part yields, and its share of the time, to the arrow between it and the part
/// above.
void draw_yield(const ScopeFigures& figures, const ScopeFigures::Part& part, DotText::Attributes& arrow);

}  // namespace eventspace
