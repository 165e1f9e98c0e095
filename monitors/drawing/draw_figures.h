#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "monitors/drawing/dot_text.h"
#include "monitors/drawing/scope_figures.h"

namespace eventspace {

// The looks of measurements in the picture of a scope. Pure functions.

/// The colour of the arrow or frame of a part that takes `share` (0 to 1) of the time.
const char* heat_colour(double share);
/// Fields of the colours of heat_colour(), each with the text for the greatest share that has it.
std::vector<std::pair<std::string, std::string>> heat_scale(
    const std::function<std::string(double)>& text_of);
/// The heading of the picture: `title`, the figures of whole pulls, losses, missing parts, and how to read
/// the picture.
DotText::Heading heading_of(const std::string& title, const ScopeFigures& figures);
/// Adds the times of a part, and the number of pulls in which it was missing, to the lines and attributes of
/// its box.
void draw_times(const ScopeFigures& figures, const ScopeFigures::Part& part, std::vector<std::string>& lines,
                DotText::Attributes& box);
/// Adds the records that a part yields to the part above, and its share of a pull's time, to the lines of its
/// box: an arrow has no text, which others could cross.
void draw_yield(const ScopeFigures& figures, const ScopeFigures::Part& part, std::vector<std::string>& lines);
/// Gives the arrow from a part to the part above the looks of its share of a pull's time.
void draw_share(const ScopeFigures& figures, const ScopeFigures::Part& part, DotText::Attributes& arrow);

}  // namespace eventspace
