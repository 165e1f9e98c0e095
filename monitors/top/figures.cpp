#include "monitors/top/figures.h"

#include <fmt/format.h>

namespace eventspace::top {
namespace {

// Always three digits, including trailing zeros, so that columns do not flicker.
std::string three_digits(double value) {
  if (value < 9.995) return fmt::format("{:.2f}", value);
  return value < 99.95 ? fmt::format("{:.1f}", value) : fmt::format("{:.0f}", value);
}

std::string scaled(double value) {
  for (const char* unit : {"k", "M", "G"}) {
    value /= 1e3;
    if (value < 999.5) return three_digits(value) + unit;
  }
  return fmt::format("{:.0f}G", value);
}

std::string scaled(std::chrono::nanoseconds duration) {
  auto value = static_cast<double>(duration.count());
  if (value < 1000) return fmt::format("{:.0f}ns", value);
  for (const char* unit : {"us", "ms"}) {
    value /= 1e3;
    if (value < 999.5) return three_digits(value) + unit;
  }
  return three_digits(value / 1e3) + "s";
}

double key_of(std::optional<std::chrono::nanoseconds> duration) {
  return duration ? static_cast<double>(duration->count()) : Field{}.key;
}

}  // namespace

std::string rate_text(std::optional<double> per_second) {
  if (!per_second) return "-";
  if (*per_second >= 999.5) return scaled(*per_second);
  return *per_second > 0 ? three_digits(*per_second) : "0";
}

std::string count_text(std::uint64_t count) {
  return count < 1'000'000 ? fmt::format("{}", count) : scaled(static_cast<double>(count));
}

std::string share_text(std::optional<double> share) {
  return share ? fmt::format("{:.0f}%", *share * 100) : "-";
}

std::string duration_text(std::optional<std::chrono::nanoseconds> duration) {
  if (!duration) return "-";
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(*duration).count();
  if (seconds < 60) return scaled(*duration);
  if (seconds < 3600) return fmt::format("{}m{}s", seconds / 60, seconds % 60);
  if (seconds < 86400) return fmt::format("{}h{}m", seconds / 3600, seconds / 60 % 60);
  return fmt::format("{}d{}h", seconds / 86400, seconds / 3600 % 24);
}

Field rate_field(std::optional<double> per_second) {
  return {rate_text(per_second), per_second.value_or(Field{}.key)};
}
Field count_field(std::uint64_t count, Style style) {
  return {count_text(count), static_cast<double>(count), style};
}
Field share_field(std::optional<double> share) { return {share_text(share), share.value_or(Field{}.key)}; }
Field duration_field(std::optional<std::chrono::nanoseconds> duration, Style style) {
  return {duration_text(duration), key_of(duration), style};
}

Style verdict_style(Verdict verdict) {
  switch (verdict) {
    case Verdict::running:
    case Verdict::waiting:
    case Verdict::apart:
      return Style::good;
    case Verdict::not_started:
    case Verdict::ended:
    case Verdict::not_collected:
      return Style::faint;
    case Verdict::stuck:
    case Verdict::unreachable:
      return Style::warning;
    default:
      return Style::bad;
  }
}

}  // namespace eventspace::top
