#include "monitors/drawing/draw_figures.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "monitors/text/counted.h"
#include "monitors/text/text_format.h"

namespace eventspace {
namespace {

constexpr const char* alarm_colour = "#c02020";

std::string losses_of(const Loss& loss) {
  return fmt::format("lost: {} discarded, {} torn, {} repeated{}; {} reduced, {} filtered", loss.discarded,
                     loss.torn, loss.repeated,
                     loss.emptied == 0 ? "" : fmt::format(", {} emptied by the application", loss.emptied),
                     loss.reduced, loss.filtered);
}

// "245", "27580", "0.5": never with an exponent.
std::string rounded(double count) {
  return count < 10 ? fmt::format("{:.2g}", count) : fmt::format("{:.0f}", count);
}

// The mean time of a part beside that of a pull.
double share_of(const ScopeFigures& figures, const ScopeFigures::Part& part) {
  const double pull = std::max(static_cast<double>(figures.mean_pull().count()), 1.0);
  return std::min(static_cast<double>(part.mean().count()) / pull, 1.0);
}

}  // namespace

const char* heat_colour(double share) {
  if (share < 0.25) return "gray35";
  if (share < 0.5) return "#c8a000";
  return share < 0.75 ? "#e07000" : alarm_colour;
}

std::vector<std::pair<std::string, std::string>> heat_scale(
    const std::function<std::string(double)>& text_of) {
  std::vector<std::pair<std::string, std::string>> scale;
  for (const double share : {0.25, 0.5, 0.75, 1.0})
    scale.emplace_back(heat_colour(share - 0.001), "up to " + text_of(share));
  return scale;
}

DotText::Heading heading_of(const std::string& title, const ScopeFigures& figures) {
  const double seconds = std::max(std::chrono::duration<double>(figures.elapsed()).count(), 1e-9);
  const std::uint64_t pulls = std::max<std::uint64_t>(figures.pulls(), 1);
  const auto missing = figures.missing();
  return {title,
          {fmt::format("{} in {} ({:.1f} per second), {} each, {} at most; {} received per pull",
                       counted(figures.pulls(), "pull"), short_duration(figures.elapsed()),
                       static_cast<double>(figures.pulls()) / seconds, short_duration(figures.mean_pull()),
                       short_duration(figures.longest_pull()),
                       short_size(figures.traffic().bytes_received / pulls)),
           losses_of(figures.loss()),
           missing.empty() ? "no part was missing"
                           : fmt::format("missing at times: {}", fmt::join(missing, ", ")),
           "Each part shows its time with the parts below it, its share of a pull's time, and its yield per "
           "pull. Colour and width of its arrow show that share:"},
          heat_scale([](double share) { return fmt::format("{:.0f} %", 100 * share); })};
}

void draw_times(const ScopeFigures& figures, const ScopeFigures::Part& part, std::vector<std::string>& lines,
                DotText::Attributes& box) {
  if (part.answered > 0) {
    lines.push_back(
        fmt::format("{} each, {} at most", short_duration(part.mean()), short_duration(part.longest)));
  }
  if (part.answered < figures.pulls())
    lines.push_back(fmt::format("answered {} of {}", part.answered, counted(figures.pulls(), "pull")));
  if (part.missed == 0) return;
  lines.push_back(fmt::format("missing in {} of {}:", part.missed, counted(figures.pulls(), "pull")));
  lines.push_back(part.why);
  box["color"] = alarm_colour;
  box["penwidth"] = "2";
}

void draw_yield(const ScopeFigures& figures, const ScopeFigures::Part& part,
                std::vector<std::string>& lines) {
  if (part.answered == 0) {
    lines.emplace_back("yields nothing");
    return;
  }
  const auto each = [&](std::uint64_t sum) {
    return static_cast<double>(sum) / static_cast<double>(part.answered);
  };
  lines.push_back(fmt::format("{:.0f} % of the time", share_of(figures, part) * 100));
  lines.push_back(fmt::format("yields {} records, {}", rounded(each(part.records)),
                              short_size(static_cast<std::uint64_t>(each(part.bytes())))));
  if (part.aggregates > 0) lines.push_back(fmt::format("and {} aggregates", rounded(each(part.aggregates))));
}

void draw_share(const ScopeFigures& figures, const ScopeFigures::Part& part, DotText::Attributes& arrow) {
  if (part.answered == 0) {
    arrow["color"] = alarm_colour;
    return;
  }
  const double share = share_of(figures, part);
  arrow["color"] = heat_colour(share);
  arrow["penwidth"] = fmt::format("{:.1f}", 1 + 3 * share);
}

}  // namespace eventspace
