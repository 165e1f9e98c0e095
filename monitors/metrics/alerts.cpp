#include "monitors/metrics/alerts.h"

#include <fmt/format.h>

#include "monitors/text/text_format.h"
#include "monitors/text/unit_text.h"

namespace eventspace {

std::map<std::string, std::string> RaisedAlert::environment() const {
  return {{"EVENTSPACE_ALERT", rule},
          {"EVENTSPACE_METRIC", metric},
          {"EVENTSPACE_OBJECTS", objects},
          {"EVENTSPACE_VIRTUAL_TIME", virtual_time ? std::to_string(*virtual_time) : ""},
          {"EVENTSPACE_VALUE", fmt::format("{}", number)},
          {"EVENTSPACE_UNIT", unit}};
}

std::string RaisedAlert::text() const {
  std::string words = rule + ":";
  if (!objects.empty()) words += " " + objects;
  if (virtual_time) words += fmt::format(" at {}", *virtual_time);
  words += " " + with_unit(number, unit);
  if (lasted.count() > 0) words += " for " + short_duration(lasted);
  return words;
}

std::vector<RaisedAlert> Alerts::take(const MetricReading& reading) {
  std::vector<RaisedAlert> raised;
  for (std::size_t i = 0; i < rules_.size(); ++i) {
    const AlertRule& rule = rules_[i];
    if (rule.metric != reading.metric) continue;
    for (const auto& value : reading.values) {
      const std::pair key(i, value.objects);
      if (!value.datum.is_good() || !rule.holds(value.datum.number)) {
        standing_.erase(key);
        continue;
      }
      // Virtual times are read later than they were passed, several at one reading.
      const std::int64_t at_ns =
          value.virtual_time ? value.datum.time_ns : reading.start_ns + reading.time.count();
      Standing& standing = standing_.try_emplace(key, Standing{at_ns, false}).first->second;
      const std::chrono::nanoseconds lasted(at_ns - standing.since_ns);
      if (standing.is_raised || lasted < rule.lasting) continue;
      standing.is_raised = true;
      raised.push_back({rule.text, reading.metric, objects_of(value), value.virtual_time,
                        value.datum.number / reading.unit.scale, reading.unit.label, lasted});
    }
  }
  return raised;
}

std::set<std::vector<std::string>> Alerts::raised_for(std::string_view metric) const {
  std::set<std::vector<std::string>> objects;
  for (const auto& [key, standing] : standing_)
    if (standing.is_raised && rules_[key.first].metric == metric) objects.insert(key.second);
  return objects;
}

}  // namespace eventspace
