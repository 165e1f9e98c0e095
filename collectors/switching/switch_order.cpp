#include "collectors/switching/switch_order.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>

#include <eventspace/error.h>
#include "collectors/kinds/event_kinds.h"
#include "paths/parameters/nearest.h"
#include "tuplespace/parsing/number_in.h"

namespace eventspace {
namespace {

// The words of the classes of a kind: the words of the field in bits 12 to 15 of word 3.
std::span<const std::string_view> classes_of(const EventKind& kind) {
  const auto is_class = [](const FieldPlace& place) {
    return place.word == 3 && place.shift == 12 && place.bits == 4;
  };
  const auto place = std::ranges::find_if(kind.fields, is_class);
  return place == kind.fields.end() ? std::span<const std::string_view>() : place->words;
}

[[noreturn]] void refuse(std::string_view what, std::string_view word, std::vector<std::string_view> known) {
  std::erase(known, "");
  throw ConfigurationError(fmt::format("unknown {} '{}'{}", what, word, hint(word, known)));
}

std::vector<const EventKind*> kinds_named(std::string_view name) {
  const EventKinds& kinds = EventKinds::instance();
  if (name.empty()) return kinds.kinds();
  if (const EventKind* const found = kinds.find(name)) return {found};
  std::vector<std::string_view> known;
  for (const EventKind* const kind : kinds.kinds()) known.push_back(kind->name);
  refuse("kind of event", name, known);
}

}  // namespace

std::uint32_t period_of(std::string_view text) {
  if (text == "on") return CollectSwitch::everything;
  if (text == "off") return CollectSwitch::off;
  if (text.starts_with("1/"))
    if (const auto period = number_in<std::uint32_t>(text.substr(2)); period && *period > 0) return *period;
  throw ConfigurationError(fmt::format(
      "'{}' is not a setting of collecting; allowed: on, off, or 1/N, which records one event in N "
      "(N from 1 to 4294967295)",
      text));
}

std::string text_of_period(std::uint32_t period) {
  if (period == CollectSwitch::off) return "off";
  return period == CollectSwitch::everything ? "on" : fmt::format("1/{}", period);
}

std::vector<EventClasses> events_named(std::string_view kind, std::string_view event_class) {
  if (kind.empty() && event_class.empty()) return {{}};
  std::vector<EventClasses> events;
  std::vector<std::string_view> known;
  for (const EventKind* const named : kinds_named(kind)) {
    if (event_class.empty()) {
      events.push_back({named->number, EventClasses::all_classes});
      continue;
    }
    const auto words = classes_of(*named);
    known.insert(known.end(), words.begin(), words.end());
    const auto word = std::ranges::find(words, event_class);
    if (word != words.end())
      events.push_back({named->number, static_cast<std::uint8_t>(word - words.begin())});
  }
  if (events.empty()) {
    refuse(kind.empty() ? "class of events" : fmt::format("class of kind '{}'", kind), event_class, known);
  }
  return events;
}

std::vector<std::string_view> classes_of_kind(std::string_view kind) {
  const EventKind* const found = EventKinds::instance().find(kind);
  if (found == nullptr) return {};
  const auto words = classes_of(*found);
  std::vector<std::string_view> known(words.begin(), words.end());
  std::erase(known, "");
  return known;
}

std::optional<std::uint32_t> period_in(const CollectState& state, const EventClasses& events) {
  if (!state.by_program) return CollectSwitch::off;
  const bool has_exceptions = !state.exceptions.empty() || state.has_more;
  if (events.kind == EventClasses::all_kinds)
    return has_exceptions ? std::nullopt : std::optional(state.period);
  for (const auto& [of, period] : state.exceptions) {
    if (of.kind != events.kind) continue;
    if (of.event_class == EventClasses::all_classes || of.event_class == events.event_class) return period;
    if (events.event_class == EventClasses::all_classes) return std::nullopt;
  }
  return state.has_more ? std::nullopt : std::optional(state.period);
}

std::string describe(const EventClasses& events) {
  const EventKind* const kind = EventKinds::instance().find(events.kind);
  std::string text = kind == nullptr ? fmt::format("kind {}", events.kind) : kind->name;
  if (events.event_class == EventClasses::all_classes) return text;
  const auto words = kind == nullptr ? std::span<const std::string_view>() : classes_of(*kind);
  const bool has_word = events.event_class < words.size() && !words[events.event_class].empty();
  return has_word ? fmt::format("{} {}", text, words[events.event_class])
                  : fmt::format("{} class {}", text, events.event_class);
}

std::string describe(const CollectState& state) {
  if (!state.by_program) return "off, by the program";
  std::vector<std::string> others;
  for (const auto& [of, period] : state.exceptions)
    others.push_back(fmt::format("{} {}", describe(of), text_of_period(period)));
  if (state.has_more) others.emplace_back("...");
  return text_of_period(state.period) +
         (others.empty() ? "" : fmt::format(", but {}", fmt::join(others, ", ")));
}

}  // namespace eventspace
