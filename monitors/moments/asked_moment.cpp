#include "monitors/moments/asked_moment.h"

#include <fmt/format.h>

#include <eventspace/error.h>
#include <eventspace/extend.h>
#include "monitors/text/duration_text.h"
#include "monitors/text/text_format.h"
#include "tuplespace/parsing/number_in.h"

namespace eventspace {
namespace {

constexpr std::int64_t second = 1'000'000'000;
constexpr std::int64_t day = 86400 * second;

/// Reads a text from its front.
class Front {
 public:
  explicit Front(std::string_view text) : text_(text) {}

  [[nodiscard]] bool is_empty() const { return text_.empty(); }
  bool take(char c) {
    if (text_.empty() || text_.front() != c) return false;
    text_.remove_prefix(1);
    return true;
  }
  /// A number of exactly `digits` digits that is at most `most`.
  std::optional<std::int64_t> number(std::size_t digits, std::int64_t most) {
    if (text_.size() < digits) return std::nullopt;
    const auto value = number_in<std::int64_t>(text_.substr(0, digits));
    if (!value || *value < 0 || *value > most) return std::nullopt;
    text_.remove_prefix(digits);
    return value;
  }
  /// The fraction after a decimal point, in nanoseconds; further digits are dropped.
  std::optional<std::int64_t> fraction() {
    std::int64_t value = 0;
    std::int64_t unit = second;
    std::size_t digits = 0;
    for (; !text_.empty() && text_.front() >= '0' && text_.front() <= '9'; ++digits) {
      unit /= 10;
      value += unit * (text_.front() - '0');
      text_.remove_prefix(1);
    }
    return digits > 0 ? std::optional(value) : std::nullopt;
  }

 private:
  std::string_view text_;
};

// "12:03", "12:03:04" or "12:03:04.5", since midnight.
std::optional<std::int64_t> time_of_day(Front& front) {
  const auto hours = front.number(2, 23);
  if (!hours || !front.take(':')) return std::nullopt;
  const auto minutes = front.number(2, 59);
  if (!minutes) return std::nullopt;
  std::int64_t ns = (*hours * 60 + *minutes) * 60 * second;
  if (!front.take(':')) return ns;
  const auto seconds = front.number(2, 59);
  if (!seconds) return std::nullopt;
  ns += *seconds * second;
  if (!front.take('.')) return ns;
  const auto fraction = front.fraction();
  return fraction ? std::optional(ns + *fraction) : std::nullopt;
}

// "2026-11-24", since 1970.
std::optional<std::int64_t> date(Front& front) {
  const auto year = front.number(4, 2261);  // the last whole year that nanoseconds since 1970 can hold
  if (!year || *year < 1970 || !front.take('-')) return std::nullopt;
  const auto month = front.number(2, 12);
  if (!month || !front.take('-')) return std::nullopt;
  const auto of_month = front.number(2, 31);
  if (!of_month) return std::nullopt;
  const std::chrono::year_month_day asked{std::chrono::year(static_cast<int>(*year)),
                                          std::chrono::month(static_cast<unsigned>(*month)),
                                          std::chrono::day(static_cast<unsigned>(*of_month))};
  if (!asked.ok()) return std::nullopt;
  return std::chrono::sys_days(asked).time_since_epoch().count() * day;
}

// "", "Z", "+01:00" or "-01:00": how far the clock is before UTC.
std::optional<std::int64_t> zone(Front& front) {
  if (front.is_empty() || front.take('Z')) return 0;
  const bool is_before = front.take('+');
  if (!is_before && !front.take('-')) return std::nullopt;
  const auto hours = front.number(2, 23);
  if (!hours || !front.take(':')) return std::nullopt;
  const auto minutes = front.number(2, 59);
  if (!minutes) return std::nullopt;
  const std::int64_t ns = (*hours * 60 + *minutes) * 60 * second;
  return is_before ? ns : -ns;
}

std::optional<std::int64_t> date_and_time(std::string_view text) {
  Front front(text);
  const auto midnight = date(front);
  if (!midnight || !(front.take('T') || front.take(' '))) return std::nullopt;
  const auto since_midnight = time_of_day(front);
  const auto ahead = since_midnight ? zone(front) : std::nullopt;
  if (!ahead || !front.is_empty()) return std::nullopt;
  return *midnight + *since_midnight - *ahead;
}

std::optional<std::int64_t> plain_time_of_day(std::string_view text) {
  Front front(text);
  const auto ns = time_of_day(front);
  if (ns) front.take('Z');
  return front.is_empty() ? ns : std::nullopt;
}

std::int64_t on_the_clock(const AskedMoment& moment, const Covered& covered) {
  switch (moment.kind) {
    case AskedMoment::Kind::since_begin:
      return moment.ns;
    case AskedMoment::Kind::date:
      return moment.ns - covered.begin_realtime_ns;
    case AskedMoment::Kind::time_of_day:
      break;
  }
  const std::int64_t begin_of_day = (covered.begin_realtime_ns % day + day) % day;
  // A recording may go beyond midnight.
  return moment.ns - begin_of_day + (moment.ns < begin_of_day ? day : 0);
}

}  // namespace

std::optional<AskedMoment> AskedMoment::read(std::string_view text) {
  if (const auto time = duration_from(text))
    return AskedMoment{Kind::since_begin, time->count(), std::string(text)};
  if (const auto ns = plain_time_of_day(text)) return AskedMoment{Kind::time_of_day, *ns, std::string(text)};
  if (const auto ns = date_and_time(text)) return AskedMoment{Kind::date, *ns, std::string(text)};
  return std::nullopt;
}

std::chrono::nanoseconds since_begin(const AskedMoment& moment, const Covered& covered,
                                     std::string_view option) {
  const std::int64_t ns = on_the_clock(moment, covered);
  if (ns >= 0 && ns <= covered.length.count()) return std::chrono::nanoseconds(ns);
  throw ConfigurationError(fmt::format("{} {}: the recording is {} long, from {} to {}", option, moment.text,
                                       format_duration(covered.length),
                                       format_realtime(covered.begin_realtime_ns),
                                       format_realtime(covered.begin_realtime_ns + covered.length.count())));
}

}  // namespace eventspace
