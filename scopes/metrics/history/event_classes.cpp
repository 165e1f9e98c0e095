#include "scopes/metrics/history/event_classes.h"

#include <algorithm>
#include <string_view>

#include "collectors/probe_record.h"
#include "scopes/metrics/records/region_records.h"

namespace eventspace::metrics {
namespace {

/// Null if records of this kind do not have the field, or have it in another part.
const FieldPlace* place_of(std::string_view field, const RecordHeader& header) {
  const EventKinds& kinds = EventKinds::instance();
  const FieldPlace* const place = kinds.place(header.kind, kinds.field_named(field).value());
  return place != nullptr && place->is_in_part(header.part) ? place : nullptr;
}

std::optional<WholeField> whole(const FieldPlace& place, const TraceTuple& record) noexcept {
  const bool is_whole =
      place.form == NumberForm::natural && place.form_shift == 0 && !place.absent && place.mark_bits == 0;
  if (!is_whole || (place.classes >> (record.words[3] >> 12 & 0xf) & 1) == 0) return std::nullopt;
  return WholeField{place.word, place.shift, ~std::uint64_t{0} >> (64 - place.bits)};
}

}  // namespace

EventClasses::EventClasses(const std::vector<EventCounter>& counters, bool has_samplers)
    : counters_(counters),
      has_samplers_(has_samplers),
      has_regions_(std::ranges::any_of(counters, &EventCounter::by_region)) {
  for (std::uint32_t i = 0; i < counters.size(); ++i)
    if (!counters[i].condition.is_of_class()) of_no_class_.push_back(i);
}

void EventClasses::learn(EventClass& known, const TraceTuple& record) const {
  const RecordHeader header = header_of(record);
  const ObservedEvent event{record};
  known.of = class_of(record) + 1;
  known.counters.clear();
  for (std::uint32_t i = 0; i < counters_.size(); ++i) {
    const EventCondition& condition = counters_[i].condition;
    if (condition.is_of_class() && condition.holds(event)) known.counters.push_back(i);
  }
  const bool is_sampled = header.kind == probe_kind && has_samplers_;
  const bool is_of_regions = has_regions_ && is_region(record);
  known.is_needed = is_sampled || !of_no_class_.empty() || !known.counters.empty() || is_of_regions;
  known.bytes = place_of("bytes", header);
  known.calls = place_of("calls", header);
  if (known.calls != nullptr && !known.calls->number(record)) known.calls = nullptr;
  known.is_plain = !is_sampled && !is_of_regions && of_no_class_.empty() &&
                   std::ranges::all_of(known.counters, [&](std::uint32_t counter) {
                     return counters_[counter].is_plain_for(known, record);
                   });
}

std::optional<SummedFields> EventClasses::summed_up(const TraceTuple& record) {
  const EventClass& known = of(record);
  if (!known.is_plain) return std::nullopt;
  SummedFields fields;
  for (const std::uint32_t counter : known.counters) {
    const Source source = counters_[counter].source;
    if (source == Source::count && known.calls == nullptr) continue;
    if (source != Source::count && source != Source::volume) return std::nullopt;
    const auto found = whole(source == Source::count ? *known.calls : *known.bytes, record);
    if (!found) return std::nullopt;
    (source == Source::count ? fields.calls : fields.bytes) = *found;
  }
  return fields;
}

}  // namespace eventspace::metrics
