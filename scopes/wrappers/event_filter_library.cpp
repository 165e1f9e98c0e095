#include "scopes/wrappers/event_filter_library.h"

#include <fmt/format.h>

#include <stdexcept>
#include <utility>
#include <vector>

#include <eventspace/error.h>
#include <eventspace/event_filter.h>
#include "collectors/kinds/event_kinds.h"
#include "scopes/plugins/shared_object.h"
#include "scopes/tree/field_reader.h"
#include "scopes/tree/observed_event.h"
#include "scopes/tree/view_events.h"
#include "scopes/wrappers/record_processes.h"

namespace eventspace {
namespace {

/// The events of a view, for a filter.
class ViewBatch final : public EventBatch {
 public:
  /// All must outlive it. `processes` uses the reports of `view`.
  ViewBatch(const View& view, RecordProcesses& processes, const PlanNames& names) : names_(&names) {
    for_each_event(view.records.whole(), [&](std::span<const TraceTuple> records) {
      const TraceTuple& own = records.back();
      events_.push_back({own, processes.of(header_of(own)), records.first(records.size() - 1)});
    });
    is_dropped_.resize(events_.size());
  }

  [[nodiscard]] std::size_t size() const noexcept override { return events_.size(); }
  [[nodiscard]] Field field(std::string_view name) const noexcept override {
    const auto found = EventKinds::instance().field_named(name);
    return found ? *found : no_field;
  }
  [[nodiscard]] std::optional<double> number(std::size_t event, Field field) const noexcept override {
    if (!is_known(field)) return std::nullopt;
    const FieldReader reader(static_cast<FieldId>(field));
    if (reader.field().type == ValueType::text) return std::nullopt;
    return reader.number(events_[event]);
  }
  [[nodiscard]] std::string_view text(std::size_t event, Field field) const noexcept override {
    if (!is_known(field)) return {};
    const FieldReader reader(static_cast<FieldId>(field));
    if (reader.field().type != ValueType::text) return {};
    return reader.text(events_[event], *names_).value_or(std::string_view());
  }
  [[nodiscard]] bool in_flight(std::size_t event) const noexcept override {
    return events_[event].in_flight();
  }
  void drop(std::size_t event) noexcept override { is_dropped_[event] = true; }

  [[nodiscard]] bool is_dropped(std::size_t event) const { return is_dropped_[event]; }

 private:
  static bool is_known(Field field) { return field < EventKinds::instance().fields().size(); }

  const PlanNames* names_;
  std::vector<ObservedEvent> events_;
  std::vector<bool> is_dropped_;
};

/// A filter of a shared object. Calls and destroys it through the table only, so that neither exceptions nor
/// deallocations cross the interface.
class LibraryFilter final : public ViewOperator {
 public:
  LibraryFilter(const plugin::EventFilterTable& table, EventFilter& made, const PlanNames& names) noexcept
      : table_(&table), made_(&made), names_(&names), processes_(names) {}
  ~LibraryFilter() override { table_->destroy(made_); }
  LibraryFilter(const LibraryFilter&) = delete;
  LibraryFilter& operator=(const LibraryFilter&) = delete;

  void apply(View& view) override {
    processes_.learn(view);
    ViewBatch events(view, processes_, *names_);
    plugin::Thrown thrown;
    if (!table_->apply(*made_, events, thrown.text())) throw std::runtime_error(std::string(thrown.what()));
    std::size_t event = 0;
    view.loss.filtered +=
        keep_events(view.records, [&](std::span<const TraceTuple>) { return !events.is_dropped(event++); });
  }

 private:
  const plugin::EventFilterTable* table_;
  EventFilter* made_;
  const PlanNames* names_;
  RecordProcesses processes_;
};

const plugin::EventFilterTable& filter_table_of(const std::filesystem::path& library) {
  const plugin::Interface expected{plugin::event_filter_entry, "", plugin::event_filter_abi,
                                   plugin::event_filter_built_with()};
  return static_cast<const plugin::EventFilterTable&>(plugin::load_table(library, expected));
}

std::unique_ptr<ViewOperator> make_filter(const plugin::EventFilterTable& table, const std::string& name,
                                          const Parameters& given, const PlanNames& names) {
  plugin::Thrown thrown;
  EventFilter* const made = table.make(given, thrown.text());
  if (made == nullptr) {
    throw ConfigurationError(fmt::format("'{}' cannot be made: {}", name,
                                         thrown.what().empty() ? "it returns no filter" : thrown.what()));
  }
  return std::make_unique<LibraryFilter>(table, *made, names);
}

}  // namespace

ScopeWrapperInfo load_event_filter(const std::filesystem::path& library, std::string name,
                                   std::chrono::nanoseconds limit) {
  const plugin::EventFilterTable& table = filter_table_of(library);
  plugin::Thrown thrown;
  const EventFilterInfo* const described = table.info(thrown.text());
  if (described == nullptr) {
    throw ConfigurationError(
        fmt::format("'{}' does not describe its filter: {}", library.string(), thrown.what()));
  }
  if (!described->make)
    throw ConfigurationError(fmt::format("the filter of '{}' has no function `make`", library.string()));
  ScopeWrapperInfo info;
  info.name = std::move(name);
  info.help = described->help;
  info.parameters = described->parameters;
  info.limit = limit;
  info.make = [&table, called = info.name](const Parameters& given, const PlanNames& names) {
    return make_filter(table, called, given, names);
  };
  return info;
}

}  // namespace eventspace
