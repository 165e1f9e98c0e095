#pragma once

#include <array>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "scopes/plugins/table.h"
#include "scopes/streams/filters/filter.h"
#include "scopes/streams/filters/wave_rule.h"

/// The interface of filters and rules of streams in shared objects, which streams name by
/// FilterUse::library.
///
///     class Median final : public eventspace::streams::Filter { ... };
///     eventspace::streams::plugin::Offer my_filters() { return {.filters = {{"median", ...}}}; }
///     EVENTSPACE_STREAM_FILTERS(my_filters)          // once in the shared object, outside of all namespaces
///
/// A filter runs in a thread of its own, one call at a time, and within a limit (FilterUse::limit). A rule
/// runs in the thread of the process. Exceptions are caught.
///
/// The shared object and the program that loads it exchange C++ objects, so both must be built from the same
/// headers, by compilers with the same ABI, see plugins/table.h. Each side destroys the filters and rules
/// that it made.
namespace eventspace::streams::plugin {

using eventspace::plugin::ErrorText;
using eventspace::plugin::guarded;
using eventspace::plugin::succeeds;
using eventspace::plugin::TableHead;

/// The version of the interface. It is raised with each change of the types that a program and a plugin
/// exchange: Table, Offer, Filter, WaveRule and the arguments of their functions.
inline constexpr std::uint32_t abi = 1;

/// Describes the library and memory layout, which must be the same on both sides.
inline const char* built_with() noexcept {
  static const auto text = [] {
    std::array<char, 128> made{};
    std::snprintf(made.data(), made.size(),
                  "%s of ABI %d, packets of %zu bytes, waves of %zu, filters of %zu, places of %zu",
                  eventspace::plugin::cxx_library, eventspace::plugin::cxx_library_abi, sizeof(Packet),
                  sizeof(Wave), sizeof(FilterInfo), sizeof(FilterPlace));
    return made;
  }();
  return text.data();
}

/// The filters and rules of a shared object.
struct Offer {
  std::vector<FilterInfo> filters{};
  std::vector<RuleInfo> rules{};
};

/// The functions of a shared object, returned by its entry point. After an exception, functions that return a
/// pointer return null, and those that return bool return false; its text is in `error`.
struct Table : TableHead {
  const Offer* (*offer)(ErrorText error) noexcept;
  /// Used instead of FilterInfo::make.
  Filter* (*make_filter)(const FilterInfo& info, const Parameters& given, const FilterPlace& place,
                         ErrorText error) noexcept;
  bool (*apply)(Filter& filter, const Wave& wave, std::vector<Packet>& out, ErrorText error) noexcept;
  bool (*join)(Filter& filter, Child child, const RankSet& ranks, ErrorText error) noexcept;
  bool (*leave)(Filter& filter, Child child, std::vector<Packet>& out, ErrorText error) noexcept;
  void (*destroy_filter)(Filter* filter) noexcept;
  /// Used instead of RuleInfo::make.
  WaveRule* (*make_rule)(const RuleInfo& info, const Parameters& given, ErrorText error) noexcept;
  bool (*choose)(WaveRule& rule, std::span<const Waiting> waiting, WaveRule::Clock::time_point now,
                 WaveRule::Choice& choice, ErrorText error) noexcept;
  bool (*due)(const WaveRule& rule, std::optional<WaveRule::Clock::time_point>& when,
              ErrorText error) noexcept;
  void (*destroy_rule)(WaveRule* rule) noexcept;
};

/// The name of the entry point, a function that returns the table.
inline constexpr const char* entry_name = "eventspace_stream_filters";

/// Implements the table for one offer.
template <Offer (*offer_function)()>
struct Functions {
  static const Offer& the_offer() {
    static const Offer offer = offer_function();
    return offer;
  }
  static const Offer* offer(ErrorText error) noexcept {
    return guarded([] { return &the_offer(); }, static_cast<const Offer*>(nullptr), error);
  }
  static Filter* make_filter(const FilterInfo& info, const Parameters& given, const FilterPlace& place,
                             ErrorText error) noexcept {
    return guarded([&] { return info.make(given, place).release(); }, static_cast<Filter*>(nullptr), error);
  }
  static bool apply(Filter& filter, const Wave& wave, std::vector<Packet>& out, ErrorText error) noexcept {
    return succeeds([&] { filter.apply(wave, out); }, error);
  }
  static bool join(Filter& filter, Child child, const RankSet& ranks, ErrorText error) noexcept {
    return succeeds([&] { filter.join(child, ranks); }, error);
  }
  static bool leave(Filter& filter, Child child, std::vector<Packet>& out, ErrorText error) noexcept {
    return succeeds([&] { filter.leave(child, out); }, error);
  }
  static void destroy_filter(Filter* filter) noexcept { delete filter; }
  static WaveRule* make_rule(const RuleInfo& info, const Parameters& given, ErrorText error) noexcept {
    return guarded([&] { return info.make(given).release(); }, static_cast<WaveRule*>(nullptr), error);
  }
  static bool choose(WaveRule& rule, std::span<const Waiting> waiting, WaveRule::Clock::time_point now,
                     WaveRule::Choice& choice, ErrorText error) noexcept {
    return succeeds([&] { choice = rule.choose(waiting, now); }, error);
  }
  static bool due(const WaveRule& rule, std::optional<WaveRule::Clock::time_point>& when,
                  ErrorText error) noexcept {
    return succeeds([&] { when = rule.due(); }, error);
  }
  static void destroy_rule(WaveRule* rule) noexcept { delete rule; }
  static const Table* table() noexcept {
    static const Table made{{abi, built_with()}, &offer,     &make_filter, &apply, &join,        &leave,
                            &destroy_filter,     &make_rule, &choose,      &due,   &destroy_rule};
    return &made;
  }
};

}  // namespace eventspace::streams::plugin

/// Defines the entry point of this shared object. `offer_function` returns the Offer with its filters and
/// rules.
#define EVENTSPACE_STREAM_FILTERS(offer_function)                                          \
  extern "C" __attribute__((visibility("default"))) const ::eventspace::plugin::TableHead* \
  eventspace_stream_filters() {                                                            \
    return ::eventspace::streams::plugin::Functions<(offer_function)>::table();            \
  }
