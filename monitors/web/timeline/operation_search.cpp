#include "monitors/web/timeline/operation_search.h"

#include <algorithm>
#include <array>
#include <limits>
#include <type_traits>
#include <variant>

#include <eventspace/error.h>
#include "monitors/text/code_places.h"
#include "scopes/expressions/expression.h"
#include "scopes/tree/field_reader.h"
#include "scopes/tree/view_events.h"
#include "tuplespace/system/saturating.h"

namespace eventspace::web {
namespace {

// The recorder knew the clocks less exactly than they are known at the end.
constexpr std::int64_t slack_ns = 20'000'000;

const RecordingReader& recording_of(const LoadedTimeline& timeline) {
  return timeline.watched.recorded->replay().recording();
}

const ProcessReport* report_of(const View& view, std::uint32_t process) {
  const auto found = std::ranges::find(view.processes, process, &ProcessReport::process);
  return found == view.processes.end() ? nullptr : &*found;
}

RecordPlace place_of(const RecordHeader& header) { return {header.sequence, header.path, header.point}; }

Json value_of(const FieldReader& field, const ObservedEvent& event, const PlanNames& names) {
  const FieldReader::Value value = field.value(event, names);
  return std::visit(
      [&](const auto& held) -> Json {
        using Held = std::decay_t<decltype(held)>;
        if constexpr (std::is_same_v<Held, std::monostate>) {
          return {};
        } else if constexpr (std::is_same_v<Held, std::string_view>) {
          const bool is_place = field.field().names == NumberNames::sites && !held.empty();
          return is_place ? Json(CodePlaces::instance().describe(held)) : Json(held);
        } else {
          return Json(held);
        }
      },
      value);
}

Json fields_of(const ObservedEvent& event, const PlanNames& names) {
  Json all = Json::array();
  for (const EventField& described : EventKinds::instance().fields()) {
    // Times are shown beside, on the clock of the recording.
    if (described.source == FieldSource::start || described.source == FieldSource::end ||
        described.source == FieldSource::age)
      continue;
    const FieldReader field(described.name);
    if (described.source == FieldSource::stored && !field.is_in(event.header().kind)) continue;
    Json value = value_of(field, event, names);
    if (value.is_null()) continue;
    Json entry =
        Json::object({{"name", described.name}, {"value", std::move(value)}, {"help", described.help}});
    if (described.type == ValueType::duration) entry.set("unit", "ns");
    all.add(std::move(entry));
  }
  return all;
}

}  // namespace

OperationSearch::OperationSearch(SharedTimeline timeline) : timeline_(std::move(timeline)) { index_rows(); }

void OperationSearch::index_rows() {
  const auto& rows = timeline_->store->rows();
  for (std::uint32_t number = 0; number < rows.size(); ++number) {
    const Source* last = nullptr;
    for (const StoredOperation& operation : rows[number].operations) {
      const Source source{operation.place.path, operation.place.point};
      if (last != nullptr && *last == source) continue;
      auto& having = rows_[source];
      if (having.empty() || having.back() != number) having.push_back(number);
      last = &rows_.find(source)->first;
    }
  }
}

const std::vector<std::uint32_t>& OperationSearch::by_sequence(std::uint32_t row) {
  const auto [known, is_new] = by_sequence_.try_emplace(row);
  if (!is_new) return known->second;
  const auto& operations = timeline_->store->rows()[row].operations;
  known->second.resize(operations.size());
  for (std::uint32_t i = 0; i < operations.size(); ++i) known->second[i] = i;
  std::ranges::stable_sort(known->second, {}, [&](std::uint32_t i) { return operations[i].place.sequence; });
  return known->second;
}

std::optional<OperationSearch::Found> OperationSearch::find(const RecordPlace& place) {
  const auto having = rows_.find({place.path, place.point});
  if (having == rows_.end()) return std::nullopt;
  for (const std::uint32_t row : having->second) {
    const auto& operations = timeline_->store->rows()[row].operations;
    const auto& order = by_sequence(row);
    auto at = std::ranges::lower_bound(order, place.sequence, {},
                                       [&](std::uint32_t i) { return operations[i].place.sequence; });
    for (; at != order.end() && operations[*at].place.sequence == place.sequence; ++at)
      if (operations[*at].place == place) return Found{row, operations[*at]};
  }
  return std::nullopt;
}

// Returns false if `use` did.
template <class Use>
bool OperationSearch::for_each_event_of(std::size_t chunk, Use use) const {
  std::optional<View> view;
  try {
    view = recording_of(*timeline_).view(chunk);
  } catch (const EnvironmentError&) {
    return true;  // damaged; the timeline has a gap there
  }
  const PlanNames& names = timeline_->watched.recorded->names();
  bool goes_on = true;
  for_each_event(view->records.whole(), [&](std::span<const TraceTuple> records) {
    const RecordHeader header = header_of(records.back());
    if (!goes_on || header.is_continuation()) return;
    const auto trace = names.source_of(header.path, header.point);
    const ProcessReport* const report = trace ? report_of(*view, trace->process) : nullptr;
    goes_on = use(ObservedEvent{records.back(), report, records.first(records.size() - 1)});
  });
  return goes_on;
}

bool OperationSearch::may_have(std::size_t chunk, const Found& found) const {
  const RecordingReader::Chunk& of = recording_of(*timeline_).chunks()[chunk];
  if (of.is_lost) return false;
  if (found.operation.in_flight) return of.kind == RecordingReader::Kind::state;
  if (of.kind != RecordingReader::Kind::events) return false;
  const std::int64_t origin = timeline_->store->origin_ns();
  return of.first_ns <= origin + found.operation.end + slack_ns &&
         of.last_ns >= origin + found.operation.begin - slack_ns;
}

std::optional<Json> OperationSearch::fields_in(std::size_t chunk, const RecordPlace& place) const {
  std::optional<Json> found;
  for_each_event_of(chunk, [&](const ObservedEvent& event) {
    if (place_of(event.header()) != place) return true;
    found = fields_of(event, timeline_->watched.recorded->names());
    return false;
  });
  return found;
}

// The last state is that in which an operation in flight was seen.
std::optional<Json> OperationSearch::fields(const RecordPlace& place) {
  const auto found = find(place);
  if (!found) return std::nullopt;
  for (std::size_t i = recording_of(*timeline_).chunks().size(); i-- > 0;) {
    if (!may_have(i, *found)) continue;
    if (auto all = fields_in(i, place)) return all;
  }
  return std::nullopt;
}

std::optional<OperationSearch::Found> OperationSearch::next(const std::string& condition, std::int64_t after,
                                                            const GoesOn& goes_on) {
  const std::array<ValueType, 1> allowed{ValueType::boolean};
  const Expression expression(condition, allowed, timeline_->watched.recorded->names());
  const auto chunks = recording_of(*timeline_).chunks();
  const std::int64_t origin = timeline_->store->origin_ns();
  std::vector<std::int64_t> earliest(chunks.size() + 1, std::numeric_limits<std::int64_t>::max());
  for (std::size_t i = chunks.size(); i-- > 0;)
    earliest[i] = std::min(earliest[i + 1], saturating::subtract(chunks[i].first_ns, slack_ns));
  std::optional<Found> best;
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    if (best && earliest[i] > origin + best->operation.begin) break;
    if (chunks[i].is_lost || chunks[i].last_ns < origin + after - slack_ns) continue;
    if (!goes_on(std::clamp<std::int64_t>(earliest[i] - origin, 0, timeline_->store->length_ns())))
      return std::nullopt;
    for_each_event_of(i, [&](const ObservedEvent& event) {
      if (!expression.holds(event)) return true;
      const auto found = find(place_of(event.header()));
      if (!found || found->operation.begin <= after) return true;
      if (!best || found->operation.begin < best->operation.begin) best = found;
      return true;
    });
  }
  return best;
}

}  // namespace eventspace::web
