#include "monitors/metrics/live_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "monitors/text/counted.h"
#include "monitors/text/unit_text.h"

namespace eventspace {
namespace {

using top::Style;

constexpr std::array<std::string_view, 8> blocks{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
constexpr std::array<std::string_view, 8> ascii_blocks{"_", ".", "-", "~", "=", "+", "*", "#"};

}  // namespace

std::string bars_of(const std::deque<double>& values, top::Charset charset) {
  double least = 0.0;
  double most = 0.0;
  for (const double value : values) {  // comparisons with missing values (NaN) are false
    if (value < least) least = value;
    if (value > most) most = value;
  }
  const auto& glyphs = charset == top::Charset::utf8 ? blocks : ascii_blocks;
  std::string text;
  for (const double value : values) {
    if (std::isnan(value)) {
      text += ' ';
      continue;
    }
    const double share = most > least ? (value - least) / (most - least) : 0.0;
    text += glyphs[static_cast<std::size_t>(std::lround(share * static_cast<double>(glyphs.size() - 1)))];
  }
  return text;
}

void LiveTable::take(const MetricReading& reading) {
  time_ = std::max(time_, reading.time);
  lost_ = std::max(lost_, reading.lost);
  const auto is_this = [&](const auto& metric) { return metric.first == reading.metric; };
  if (std::ranges::none_of(metrics_, is_this)) metrics_.emplace_back(reading.metric, reading.unit);
  for (const auto& value : reading.values) {
    const auto [place, is_new] = places_.try_emplace({reading.metric, value.objects}, lines_.size());
    if (is_new) lines_.push_back({reading.metric, objects_of(value)});
    Line& line = lines_[place->second];
    line.newest = value.datum;
    line.virtual_time = value.virtual_time;
    const auto number = number_of(value.datum, reading.unit);
    if (is_gap(value.datum, reading.unit)) {
      if (!line.kept.empty()) line.kept.push_back(std::nan(""));
    } else if (number) {
      line.kept.push_back(*number);
    }
    if (line.kept.size() > max_kept) line.kept.pop_front();
  }
}

LiveTable::Total LiveTable::total_of(const std::string& metric, const metrics::DisplayUnit& unit) const {
  Total total;
  for (const Line& line : lines_) {
    const auto number = number_of(line.newest, unit);
    if (line.metric != metric || !number || line.objects.empty()) continue;
    if (total.objects == 0 || *number > total.most) {
      total.most = *number;
      total.greatest = line.objects;
    }
    ++total.objects;
    total.sum += *number;
  }
  return total;
}

namespace {

constexpr std::size_t value_width = 12;

ScaledValue fitting(double number, const metrics::DisplayUnit& unit) {
  ScaledValue value = scaled(number, unit.label);
  if (value.number.size() > value_width) value.number = fmt::format("{:.6g}", number);
  return value;
}

}  // namespace

top::Row LiveTable::row_of(const Line& line, const metrics::DisplayUnit& unit) const {
  const auto number = number_of(line.newest, unit);
  const ScaledValue value =
      number ? fitting(*number, unit) : ScaledValue{std::string(problem_of(line.newest, unit)), unit.label};
  const Style style = number ? Style::strong : Style::warning;
  return {0,
          {{line.metric},
           {line.objects},
           {line.virtual_time ? std::to_string(*line.virtual_time) : ""},
           {value.number, number.value_or(0.0), style},
           {value.unit},
           {bars_of(line.kept, charset()), 0.0, Style::good}},
          std::nullopt};
}

top::Row LiveTable::row_of(const std::string& metric, const Total& total, const metrics::DisplayUnit& unit) {
  const ScaledValue sum = fitting(total.sum, unit);
  return {0,
          {{metric, 0.0, Style::faint},
           {fmt::format("all {}", total.objects), 0.0, Style::faint},
           {""},
           {sum.number, total.sum},
           {sum.unit},
           {fmt::format("mean {}, max {} of {}",
                        with_unit(total.sum / static_cast<double>(total.objects), unit.label),
                        with_unit(total.most, unit.label), total.greatest),
            0.0, Style::faint}},
          std::nullopt};
}

top::Page LiveTable::page() const {
  top::Page page;
  page.when_empty = "no value yet";
  std::size_t metric_width = 6;
  std::size_t objects_width = 7;
  for (const Line& line : lines_) {
    metric_width = std::max(metric_width, std::min<std::size_t>(top::width_of(line.metric), 28));
    objects_width = std::max(objects_width, std::min<std::size_t>(top::width_of(line.objects), 24));
  }
  page.columns = {{"metric", metric_width, false, false, false, 2},
                  {"objects", objects_width},
                  {"at", 8, true, false, false, 3},
                  {"value", value_width, true},
                  {"unit", 6, false, false, false, 4},
                  {"last values", 10, false, false, false, 5}};
  for (const auto& [metric, unit] : metrics_) {
    for (const Line& line : lines_) {
      if (line.metric == metric) page.rows.push_back(row_of(line, unit));
    }
    const Total total = total_of(metric, unit);
    if (total.objects > 1) page.rows.push_back(row_of(metric, total, unit));
  }
  return page;
}

std::string LiveTable::warning() const {
  return lost_ > 0 ? fmt::format("incomplete: {} lost", counted(lost_, "record")) : "";
}

}  // namespace eventspace
