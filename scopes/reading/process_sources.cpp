#include "scopes/reading/process_sources.h"

#include <algorithm>
#include <unordered_map>

#include "scopes/tree/own_numbers.h"

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
    const auto& threads = segment.threads();
    const auto thread = std::find(threads.begin(), threads.end(), trace.spec.thread) - threads.begin();
    const bool is_read = reads_thread(static_cast<std::size_t>(thread)) ||
                         (is_own_number(trace.spec.thread) && reads_thread(0));
    if (!is_read || !is_own(trace.spec)) continue;
    cursors_.emplace_back(trace.spec.trace).bind(&trace, from_start);
    readers_.push_back(trace.reader);
  }
}

bool ProcessSources::is_own(const TraceSpec& spec) const {
  const bool is_of_process = is_own_number(spec.trace) && process_of_own_number(spec.trace) == process_ &&
                             spec.path == spec.trace && spec.point == 0;
  return is_of_process && std::none_of(cursors_.begin(), cursors_.end(), [&](const TraceCursor& cursor) {
           return cursor.trace() == spec.trace;
         });
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
    TraceReader::read_newest(some, pull.view.records.own());
    if (pull.ahead != nullptr) pull.ahead->offer(pull.view);
    left = left.subspan(some.size());
  }
}

void ProcessSources::read_unread(Pull& pull) {
  for (TraceCursor& cursor : cursors_) {
    if (cursor.found() == nullptr) continue;
    cursor.read(pull.view);
    if (pull.ahead != nullptr) pull.ahead->offer(pull.view);
  }
}

bool ProcessSources::is_read_out() const {
  return std::all_of(cursors_.begin(), cursors_.end(),
                     [](const TraceCursor& cursor) { return cursor.is_read_out(); });
}

}  // namespace eventspace
