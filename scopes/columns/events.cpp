#include <eventspace/events.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include <eventspace/error.h>
#include "paths/parameters/nearest.h"
#include "scopes/columns/column_maker.h"
#include "scopes/columns/events_state.h"
#include "scopes/tree/view_events.h"

namespace eventspace {
namespace {

// The ticks of records, for which Events has times.
bool is_in_ticks(const EventField& field) {
  return field.source == FieldSource::start || field.source == FieldSource::end;
}

std::vector<std::string_view> known_columns() {
  std::vector<std::string_view> known(Events::State::time_columns.begin(), Events::State::time_columns.end());
  for (const EventField& field : EventKinds::instance().fields())
    if (!is_in_ticks(field)) known.emplace_back(field.name);
  return known;
}

// The number of the column of a field that every event has, found once.
std::size_t column_named(const char* name) { return Events::State::number_of(std::string_view(name)); }

template <class Value>
const std::vector<Value>& values_in(const auto& values, const char* wanted) {
  if (const auto* const held = std::get_if<std::vector<Value>>(&values)) return *held;
  throw ConfigurationError(fmt::format("the column does not hold {}; EventColumn::type() says what", wanted));
}

class NoNames final : public PlanNames {
 public:
  [[nodiscard]] std::string_view thread_name(std::uint32_t /*thread*/) const override { return "?"; }
  [[nodiscard]] std::string_view path_name(std::uint32_t /*path*/) const override { return "?"; }
  [[nodiscard]] std::string_view process_name(std::uint32_t /*process*/) const override { return "?"; }
  [[nodiscard]] std::string_view node_of_process(std::uint32_t /*process*/) const override { return {}; }
  [[nodiscard]] std::optional<SourceRef> source_of(std::uint32_t /*path*/,
                                                   std::uint16_t /*point*/) const override {
    return std::nullopt;
  }
};

// Has the columns of an Events without a state.
const Events::State& no_events() {
  static const auto names = std::make_shared<const NoNames>();
  static const Events::State none(View(), names, std::make_shared<const RecordClocks>(*names, 0));
  return none;
}

bool has_continuations(const std::vector<TraceTuple>& records) {
  return std::ranges::any_of(records,
                             [](const TraceTuple& record) { return header_of(record).is_continuation(); });
}

}  // namespace

std::span<const std::uint64_t> EventColumn::naturals() const {
  return values_in<std::uint64_t>(values_, "naturals");
}
std::span<const std::int64_t> EventColumn::integers() const {
  return values_in<std::int64_t>(values_, "integers");
}
std::span<const double> EventColumn::reals() const { return values_in<double>(values_, "reals"); }
std::span<const std::uint8_t> EventColumn::booleans() const {
  return values_in<std::uint8_t>(values_, "booleans");
}
std::span<const std::uint32_t> EventColumn::codes() const {
  return values_in<std::uint32_t>(values_, "codes of names");
}
std::span<const EventColumn::Name> EventColumn::names() const {
  (void)codes();
  return names_;
}

std::optional<double> EventColumn::number(std::size_t event) const noexcept {
  if (type_ == Type::text || !has(event)) return std::nullopt;
  return std::visit([event](const auto& values) { return static_cast<double>(values[event]); }, values_);
}

std::string_view EventColumn::text(std::size_t event) const noexcept {
  const auto* const codes = std::get_if<std::vector<std::uint32_t>>(&values_);
  if (codes == nullptr || !has(event)) return {};
  return names_[(*codes)[event]].text;
}

Events::State::State(View&& view, std::shared_ptr<const PlanNames> of_plan,
                     std::shared_ptr<const RecordClocks> of_processes)
    : records(std::move(view.records.whole())),
      names(std::move(of_plan)),
      clocks(std::move(of_processes)),
      loss(view.loss),
      missing(std::move(view.missing)),
      made_(number_of(static_cast<FieldId>(EventKinds::instance().fields().size()))),
      ready_(made_.size()) {
  if (!has_continuations(records)) return;
  for_each_event(records, [this](std::span<const TraceTuple> event) {
    own.push_back(static_cast<std::size_t>(&event.back() - records.data()));
  });
}

// The processes of the trace elements that came last are remembered: most events follow one of the same
// element.
std::span<const ProcessReport* const> Events::State::processes() const {
  struct Found {
    std::uint64_t element{~std::uint64_t{0}};
    const ProcessReport* process{nullptr};
  };
  std::call_once(has_processes_, [this] {
    std::array<Found, 256> found;
    processes_.reserve(size());
    for (std::size_t place = 0; place < size(); ++place) {
      const RecordHeader header = header_of(records[own.empty() ? place : own[place]]);
      const std::uint64_t element = (static_cast<std::uint64_t>(header.path) << 16) | header.point;
      Found& known = found[(header.path ^ header.point) % found.size()];
      if (known.element != element) known = {element, clocks->process_of(header)};
      processes_.push_back(known.process);
    }
  });
  return processes_;
}

std::size_t Events::State::number_of(std::string_view name) {
  const auto time = std::ranges::find(time_columns, name);
  if (time != time_columns.end()) return static_cast<std::size_t>(time - time_columns.begin());
  const auto field = EventKinds::instance().field_named(name);
  if (field && !is_in_ticks(EventKinds::instance().field(*field))) return number_of(*field);
  const auto known = known_columns();
  throw ConfigurationError(fmt::format("unknown field '{}'{}", name, hint(name, known, known.size())));
}

const EventColumn& Events::State::column(std::size_t number) const {
  if (const EventColumn* const ready = ready_.at(number).load(std::memory_order_acquire)) return *ready;
  const std::scoped_lock lock(mutex_);
  if (made_[number] == nullptr) {
    const ColumnMaker maker(*this);
    made_[number] = std::make_unique<const EventColumn>(
        number < time_columns.size() ? maker.times(static_cast<TimeColumn>(number))
                                     : maker.field(static_cast<FieldId>(number - time_columns.size())));
    ready_[number].store(made_[number].get(), std::memory_order_release);
  }
  return *made_[number];
}

Events events_of(View&& view, std::shared_ptr<const PlanNames> names,
                 std::shared_ptr<const RecordClocks> clocks, bool has_more) {
  auto state = std::make_shared<Events::State>(std::move(view), std::move(names), std::move(clocks));
  state->has_more = has_more;
  return Events(std::move(state));
}

Events::Events() noexcept = default;
Events::Events(std::shared_ptr<const State> state) noexcept : state_(std::move(state)) {}

std::size_t Events::size() const noexcept { return state_ == nullptr ? 0 : state_->size(); }

std::vector<std::string> Events::fields() const {
  std::array<bool, 256> has{};
  if (state_ != nullptr)
    for (const TraceTuple& record : state_->records) has[header_of(record).kind] = true;
  std::vector<std::string> names(State::time_columns.begin(), State::time_columns.end());
  const auto& fields = EventKinds::instance().fields();
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (is_in_ticks(fields[i])) continue;
    const FieldReader reader(static_cast<FieldId>(i));
    bool is_in_one = fields[i].source != FieldSource::stored;
    for (std::size_t kind = 0; kind < has.size() && !is_in_one; ++kind)
      is_in_one = has[kind] && reader.is_in(static_cast<std::uint8_t>(kind));
    if (is_in_one) names.push_back(fields[i].name);
  }
  return names;
}

const EventColumn& Events::column(std::string_view field) const {
  const std::size_t number = State::number_of(field);
  return state_ == nullptr ? no_events().column(number) : state_->column(number);
}

const Loss& Events::loss() const noexcept {
  static const Loss none;
  return state_ == nullptr ? none : state_->loss;
}
std::span<const Missing> Events::missing() const noexcept {
  return state_ == nullptr ? std::span<const Missing>() : state_->missing;
}
bool Events::has_more() const noexcept { return state_ != nullptr && state_->has_more; }

std::string_view Event::thread() const {
  static const std::size_t number = column_named("thread");
  return events_->state_->column(number).text(place_);
}
std::string_view Event::path() const {
  static const std::size_t number = column_named("path");
  return events_->state_->column(number).text(place_);
}
std::string_view Event::process() const {
  static const std::size_t number = column_named("process");
  return events_->state_->column(number).text(place_);
}
std::string_view Event::node() const {
  static const std::size_t number = column_named("node");
  return events_->state_->column(number).text(place_);
}
std::string_view Event::kind() const {
  static const std::size_t number = column_named("kind");
  return events_->state_->column(number).text(place_);
}
std::string_view Event::verb() const {
  static const std::size_t number = column_named("verb");
  return events_->state_->column(number).text(place_);
}
std::string_view Event::status() const {
  static const std::size_t number = column_named("status");
  return events_->state_->column(number).text(place_);
}

namespace {

std::optional<std::int64_t> time_in(const EventColumn& column, std::size_t place) {
  return column.has(place) ? std::optional(column.integers()[place]) : std::nullopt;
}

}  // namespace

std::optional<std::int64_t> Event::start_ns() const {
  return time_in(events_->state_->column(Events::State::start_ns), place_);
}
std::optional<std::int64_t> Event::end_ns() const {
  return time_in(events_->state_->column(Events::State::end_ns), place_);
}
std::optional<double> Event::duration_ns() const {
  static const std::size_t number = column_named("duration");
  return events_->state_->column(number).number(place_);
}
bool Event::in_flight() const {
  static const std::size_t number = column_named("in_flight");
  return events_->state_->column(number).booleans()[place_] != 0;
}

std::optional<double> Event::number(std::string_view field) const {
  return events_->column(field).number(place_);
}
std::string_view Event::text(std::string_view field) const { return events_->column(field).text(place_); }

}  // namespace eventspace
