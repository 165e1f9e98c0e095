#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <eventspace/extend.h>

/// Filters of events in shared objects, which pathmaps declare under `wrappers:` and put on the levels of
/// scopes. Servers and monitors load them. A shared object does not link with EventSpace.
///
///     class EveryTenth final : public eventspace::EventFilter {
///       void apply(eventspace::EventBatch& events) override {
///         for (std::size_t i = 0; i < events.size(); ++i)
///           if (++seen_ % 10 != 0) events.drop(i);
///       }
///       std::uint64_t seen_{0};
///     };
///     eventspace::EventFilterInfo every_tenth() {
///       return {"every-tenth", "lets every tenth event pass", {},
///               [](const eventspace::Parameters&) { return std::make_unique<EveryTenth>(); }};
///     }
///     EVENTSPACE_EVENT_FILTER(every_tenth)   // once in the shared object, outside of all namespaces
namespace eventspace {

/// The events of one view at one place in a scope's tree, in their order. The program that loads the filter
/// implements it. Valid during one call of EventFilter::apply; used by its thread only. No function throws.
class EventBatch {
 public:
  /// Stands for a field of events; valid for all batches of the program.
  using Field = std::uint32_t;
  static constexpr Field no_field = std::numeric_limits<Field>::max();

  [[nodiscard]] virtual std::size_t size() const noexcept = 0;
  /// The field with this name (docs/expressions.md); no_field if there is none.
  [[nodiscard]] virtual Field field(std::string_view name) const noexcept = 0;
  /// The value of a field of a number or a duration (in nanoseconds); nothing if the event lacks it. Requires
  /// that `event` is less than size().
  [[nodiscard]] virtual std::optional<double> number(std::size_t event, Field field) const noexcept = 0;
  /// The value of a text field; empty if the event lacks it. Valid as long as the batch.
  [[nodiscard]] virtual std::string_view text(std::size_t event, Field field) const noexcept = 0;
  /// Whether the event has not ended.
  [[nodiscard]] virtual bool in_flight(std::size_t event) const noexcept = 0;
  /// Leaves the event out of the view, where it counts as Loss::filtered.
  virtual void drop(std::size_t event) noexcept = 0;

 protected:
  EventBatch() = default;
  ~EventBatch() = default;
  EventBatch(const EventBatch&) = delete;
  EventBatch& operator=(const EventBatch&) = delete;
};

/// Decides which events of a scope pass. Each place in the scope's tree that applies the filter has its own
/// object, which may keep state from view to view. It runs in a thread of its own, one call at a time, and
/// must not use data of the rest of the process. If it throws, the events of the view are lost and count as
/// Loss::failed. If it does not return within the `limit` of the pathmap, a later pull yields them.
/// Events::missing names the node in both cases.
class EventFilter {
 public:
  virtual ~EventFilter() = default;
  virtual void apply(EventBatch& events) = 0;
};

/// Describes a filter. `eventspace check` shows `help` and checks the pathmap's parameters.
struct EventFilterInfo {
  std::string name;  ///< pathmaps may use another name
  std::string help;
  std::vector<ParameterSpec> parameters;
  /// Makes a filter; may throw. `given` is complete and checked against `parameters`.
  std::function<std::unique_ptr<EventFilter>(const Parameters& given)> make;
};

namespace plugin {

/// The version of the interface. It rises with each change of the types above, or of Parameters.
inline constexpr std::uint32_t event_filter_abi = 1;

/// Describes the library and layout, which must be the same on both sides.
inline const char* event_filter_built_with() noexcept {
  static const auto text = [] {
    std::array<char, 96> made{};
    std::snprintf(made.data(), made.size(), "%s of ABI %d, descriptions of %zu bytes", cxx_library,
                  cxx_library_abi, sizeof(EventFilterInfo));
    return made;
  }();
  return text.data();
}

/// The functions of a shared object, returned by its entry point. They do not throw.
struct EventFilterTable : TableHead {
  const EventFilterInfo* (*info)(ErrorText error) noexcept;  ///< null after an exception
  /// Returns a filter, to be destroyed with `destroy`; null after an exception.
  EventFilter* (*make)(const Parameters& given, ErrorText error) noexcept;
  /// Returns false after an exception.
  bool (*apply)(EventFilter& filter, EventBatch& events, ErrorText error) noexcept;
  void (*destroy)(EventFilter* filter) noexcept;
};

/// The name of the entry point, a function that returns the table.
inline constexpr const char* event_filter_entry = "eventspace_event_filter";

/// Implements the table for one filter.
template <EventFilterInfo (*info_function)()>
struct EventFilterFunctions {
  static const EventFilterInfo& the_info() {
    static const EventFilterInfo info = info_function();
    return info;
  }
  static const EventFilterInfo* info(ErrorText error) noexcept {
    return guarded([] { return &the_info(); }, static_cast<const EventFilterInfo*>(nullptr), error);
  }
  static EventFilter* make(const Parameters& given, ErrorText error) noexcept {
    return guarded([&] { return the_info().make(given).release(); }, static_cast<EventFilter*>(nullptr),
                   error);
  }
  static bool apply(EventFilter& filter, EventBatch& events, ErrorText error) noexcept {
    return succeeds([&] { filter.apply(events); }, error);
  }
  static void destroy(EventFilter* filter) noexcept { delete filter; }
  static const EventFilterTable* table() noexcept {
    static const EventFilterTable made{
        {event_filter_abi, event_filter_built_with()}, &info, &make, &apply, &destroy};
    return &made;
  }
};

}  // namespace plugin
}  // namespace eventspace

/// Defines the entry point of this shared object. `info_function` returns the description of its filter.
#define EVENTSPACE_EVENT_FILTER(info_function)                                             \
  extern "C" __attribute__((visibility("default"))) const ::eventspace::plugin::TableHead* \
  eventspace_event_filter() {                                                              \
    return ::eventspace::plugin::EventFilterFunctions<(info_function)>::table();           \
  }
