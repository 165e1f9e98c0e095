#include "monitors/drawing/draw_figures.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "monitors/cli/text_format.h"

namespace eventspace {
namespace {

constexpr const char* alarm_colour = "#c02020";

std::string losses_of(const Loss& loss) {
  return fmt::format("lost: {} discarded, {} torn, {} repeated{}; {} reduced, {} filtered", loss.discarded,
                     loss.torn, loss.repeated,
                     loss.emptied == 0 ? "" : fmt::format(", {} emptied by the application", loss.emptied),
                     loss.reduced, loss.filtered);
}

}  // namespace

const char* heat_colour(double share) {
  if (share < 0.25) return "gray35";
  if (share < 0.5) return "#c8a000";
  return share < 0.75 ? "#e07000" : alarm_colour;
}

std::string legend_of(const std::string& title, const ScopeFigures& figures) {
  const double seconds = std::max(std::chrono::duration<double>(figures.elapsed()).count(), 1e-9);
  const std::uint64_t pulls = std::max<std::uint64_t>(figures.pulls(), 1);
  const auto missing = figures.missing();
  return dot_label(
      {title,
       fmt::format("{} pulls in {} ({:.1f} a second), {} each, {} at most; {} received a pull",
                   figures.pulls(), short_duration(figures.elapsed()),
                   static_cast<double>(figures.pulls()) / seconds, short_duration(figures.mean_pull()),
                   short_duration(figures.longest_pull()),
                   short_size(figures.traffic().bytes_received / pulls)),
       losses_of(figures.loss()),
       missing.empty() ? "nothing was missing"
                       : fmt::format("missing at times: {}", fmt::join(missing, ", ")),
       "An arrow says what a part yields, a pull. The wider and redder, the more of a pull's time it takes,",
       "the parts below it included (up to a quarter grey, a half yellow, three quarters orange, all red).",
       "Within a part its time is not divided; the way to the part above is in that one's time."});
}

void draw_times(const ScopeFigures& figures, const ScopeFigures::Part& part, std::vector<std::string>& lines,
                DotText::Attributes& box) {
  if (part.answered > 0) {
    lines.push_back(
        fmt::format("{} each, {} at most", short_duration(part.mean()), short_duration(part.longest)));
  }
  if (part.answered < figures.pulls())
    lines.push_back(fmt::format("answered {} of {} pulls", part.answered, figures.pulls()));
  if (part.missed == 0) return;
  lines.push_back(fmt::format("missing in {} of {} pulls:", part.missed, figures.pulls()));
  lines.push_back(part.why);
  box["color"] = alarm_colour;
  box["penwidth"] = "2";
}

void draw_yield(const ScopeFigures& figures, const ScopeFigures::Part& part, DotText::Attributes& arrow) {
  std::string& label = arrow["label"];
  if (!label.empty()) label += '\n';
  if (part.answered == 0) {
    label += " nothing";
    arrow["color"] = alarm_colour;
    return;
  }
  const double pull = std::max(static_cast<double>(figures.mean_pull().count()), 1.0);
  const double share = std::min(static_cast<double>(part.mean().count()) / pull, 1.0);
  const auto each = [&](std::uint64_t sum) {
    return static_cast<double>(sum) / static_cast<double>(part.answered);
  };
  label += fmt::format(" {:.0f} % of the time\n {:.4g} records, {}", share * 100, each(part.records),
                       short_size(static_cast<std::uint64_t>(each(part.bytes()))));
  if (part.aggregates > 0) label += fmt::format("\n {:.4g} aggregates", each(part.aggregates));
  arrow["color"] = heat_colour(share);
  arrow["penwidth"] = fmt::format("{:.1f}", 1 + 5 * share);
}

}  // namespace eventspace
