#include "monitors/export/reading/clock_maps.h"

#include <algorithm>

#include "tuplespace/system/saturating.h"

namespace eventspace::exports {
namespace {

// Times of damaged data are limited so that their differences do not overflow.
constexpr std::int64_t max_time = std::int64_t{1} << 61;

std::int64_t bounded(std::int64_t ns) { return std::clamp(ns, -max_time, max_time); }

std::int64_t scaled(std::uint64_t from, std::uint64_t to, double ns_per_tick) {
  return bounded(saturating::round(static_cast<double>(static_cast<std::int64_t>(to - from)) * ns_per_tick));
}

bool is_later(std::uint64_t ticks, std::uint64_t than) { return static_cast<std::int64_t>(ticks - than) > 0; }

}  // namespace

ClockMaps::Point ClockMaps::point_of(const ProcessReport& report, std::optional<std::int64_t>& error) const {
  if (report.relation.known) {
    const BoundedTime now = report.here(report.now_ticks);
    error = now.error_ns;
    return {report.now_ticks, bounded(now.ns)};
  }
  error = std::nullopt;
  return {report.now_ticks,
          bounded(saturating::subtract(report.clock.to_realtime_ns(report.now_ticks), realtime_ns_))};
}

std::size_t ClockMaps::line_of(const ProcessReport& report, std::string_view node, const Point& point) {
  const Run run{report.process, report.pid, report.start_ticks};
  if (const auto known = line_of_run_.find(run); known != line_of_run_.end()) return known->second;
  std::size_t line = lines_.size();
  const bool is_shared = report.clock.source == ClockSource::tsc;
  if (const auto known = line_of_node_.find(node); is_shared && known != line_of_node_.end()) {
    // After a restart of the machine its counter is lower, and begins another line.
    const Line& of_node = lines_[known->second];
    if (is_later(point.ticks, of_node.points.front().ticks)) line = known->second;
  }
  if (line == lines_.size()) lines_.push_back({.points = {point}, .ns_per_tick = report.clock.ns_per_tick});
  if (is_shared) line_of_node_.insert_or_assign(std::string(node), line);
  line_of_run_.emplace(run, line);
  return line;
}

void ClockMaps::learn(const ProcessReport& report, std::string_view node) {
  if (!report.clock.is_sound() || report.now_ticks == 0) return;
  std::optional<std::int64_t> error;
  const Point point = point_of(report, error);
  Line& line = lines_[line_of(report, node, point)];
  line.error_ns = line.error_ns && error ? std::optional(std::max(*line.error_ns, *error)) : std::nullopt;
  add(line, point);
}

void ClockMaps::add(Line& line, const Point& point) {
  const Point& last = line.points.back();
  // A line never goes back, even if a clock did.
  if (!is_later(point.ticks, last.ticks) || point.ns - last.ns < line.apart_ns) return;
  line.points.push_back(point);
  if (line.points.size() < max_points) return;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < line.points.size(); i += 2) line.points[kept++] = line.points[i];
  line.points.resize(kept);
  line.apart_ns *= 2;
}

std::int64_t ClockMaps::on_line(const Line& line, std::uint64_t ticks) {
  const auto next = std::upper_bound(line.points.begin(), line.points.end(), ticks,
                                     [](std::uint64_t t, const Point& p) { return is_later(p.ticks, t); });
  if (next == line.points.begin()) {
    const Point& first = line.points.front();
    return bounded(first.ns - scaled(ticks, first.ticks, line.ns_per_tick));
  }
  const Point& before = *std::prev(next);
  if (next == line.points.end()) return bounded(before.ns + scaled(before.ticks, ticks, line.ns_per_tick));
  const double slope =
      static_cast<double>(next->ns - before.ns) / static_cast<double>(next->ticks - before.ticks);
  return before.ns + scaled(before.ticks, ticks, slope);
}

BoundedTime ClockMaps::time(const ProcessReport& report, std::uint64_t ticks) const {
  const auto known = line_of_run_.find({report.process, report.pid, report.start_ticks});
  if (known != line_of_run_.end()) {
    const Line& line = lines_[known->second];
    return {on_line(line, ticks), line.error_ns};
  }
  const std::int64_t realtime =
      report.clock.is_sound() ? report.clock.to_realtime_ns(ticks) : static_cast<std::int64_t>(ticks >> 1);
  return {bounded(saturating::subtract(realtime, realtime_ns_)), std::nullopt};
}

}  // namespace eventspace::exports
