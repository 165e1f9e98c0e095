#include "scopes/reading/process_sources.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "collectors/kinds/event_kinds.h"
#include "scopes/reading/newest_events.h"
#include "scopes/tree/local_ids.h"

namespace eventspace {
namespace {

constexpr std::size_t read_at_a_time = RecordsAhead::worth_taking;

}  // namespace

void ProcessSources::bind(const SegmentView& segment, bool from_start) {
  std::unordered_map<std::uint32_t, const SegmentView::Trace*> by_number;
  for (const SegmentView::Trace& trace : segment.traces()) by_number.emplace(trace.spec.trace, &trace);
  cursors_.erase(cursors_.begin() + static_cast<std::ptrdiff_t>(planned_), cursors_.end());
  threads_.clear();
  readers_.clear();
  own_.clear();
  for (TraceCursor& cursor : cursors_) {
    const auto trace = by_number.find(cursor.trace());
    cursor.bind(trace == by_number.end() ? nullptr : trace->second, from_start);
    if (trace != by_number.end()) add_found(segment, *trace->second);
  }
  std::sort(threads_.begin(), threads_.end());
  threads_.erase(std::unique(threads_.begin(), threads_.end()), threads_.end());
  looked_at_ = 0;
  follow_own(segment, from_start);
}

void ProcessSources::add_found(const SegmentView& segment, const SegmentView::Trace& trace) {
  readers_.push_back(trace.reader);
  const auto& threads = segment.threads();
  const auto thread = std::find(threads.begin(), threads.end(), trace.spec.thread);
  if (thread != threads.end()) threads_.push_back(static_cast<std::size_t>(thread - threads.begin()));
}

void ProcessSources::follow_own(const SegmentView& segment, bool from_start) {
  if (!reads_probes_) return;
  const auto& traces = segment.traces();
  for (; looked_at_ < traces.size(); ++looked_at_) {
    const SegmentView::Trace& trace = traces[looked_at_];
    if (!is_own(trace.spec) || !reads_thread_of(trace.spec, segment)) continue;
    const std::uint32_t number = number_in_scope(trace.spec.trace);
    if (!own_.insert(number).second) continue;
    cursors_.emplace_back(number).bind(&trace, from_start);
    readers_.push_back(trace.reader);
  }
  if (!numbering_) return;
  const std::size_t before = threads_.size();
  threads_.resize(segment.threads().size());
  std::iota(threads_.begin() + static_cast<std::ptrdiff_t>(before), threads_.end(), before);
}

bool ProcessSources::is_own(const TraceSpec& spec) const {
  const std::uint32_t number = number_in_scope(spec.trace);
  return is_local_id(number) && process_of_local_id(number) == process_ && spec.path == spec.trace &&
         spec.point == 0;
}

bool ProcessSources::reads_thread_of(const TraceSpec& spec, const SegmentView& segment) const {
  if (numbering_) return true;
  const auto& threads = segment.threads();
  const auto thread = std::find(threads.begin(), threads.end(), spec.thread) - threads.begin();
  return reads_thread(static_cast<std::size_t>(thread)) || (is_local_id(spec.thread) && reads_thread(0));
}

bool ProcessSources::reads_thread(std::size_t thread) const {
  return std::binary_search(threads_.begin(), threads_.end(), thread);
}

void ProcessSources::settle(bool arrived) noexcept {
  for (TraceCursor& cursor : cursors_) cursor.settle(arrived);
}

void ProcessSources::read_newest(Pull& pull) const {
  for (std::span<const TraceReader> left(readers_); !left.empty();) {
    const auto some = left.first(std::min(left.size(), read_at_a_time));
    auto& records = pull.view.records.own();
    const std::size_t before = records.size();
    TraceReader::read_newest(some, records);
    const auto is_part = [](const TraceTuple& record) {
      return EventKinds::instance().records_after(record) > 0;
    };
    if (std::any_of(records.begin() + static_cast<std::ptrdiff_t>(before), records.end(), is_part))
        [[unlikely]] {
      records.resize(before);
      for (const TraceReader& reader : some) read_newest_events(reader, records);
    }
    renumber(records, before);
    if (pull.ahead != nullptr) pull.ahead->offer(pull.view);
    left = left.subspan(some.size());
  }
}

void ProcessSources::read_unread(Pull& pull) {
  for (TraceCursor& cursor : cursors_) {
    if (cursor.found() == nullptr) continue;
    auto& records = pull.view.records.own();
    const std::size_t before = records.size();
    cursor.read(pull.view);
    renumber(records, before);
    if (pull.ahead != nullptr) pull.ahead->offer(pull.view);
  }
}

std::vector<TraceTuple> ProcessSources::in_flight() const {
  std::vector<TraceTuple> records;
  for (const TraceReader& reader : readers_) {
    if (const auto record = reader.in_flight()) records.push_back(*record);
  }
  renumber(records, 0);
  return records;
}

// Called before any of the records is sent ahead.
void ProcessSources::renumber(std::vector<TraceTuple>& records, std::size_t from) const {
  if (numbering_) numbering_->apply(std::span(records).subspan(from));
}

bool ProcessSources::is_read_out() const {
  return std::all_of(cursors_.begin(), cursors_.end(),
                     [](const TraceCursor& cursor) { return cursor.is_read_out(); });
}

}  // namespace eventspace
