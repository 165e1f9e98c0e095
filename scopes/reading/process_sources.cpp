#include "scopes/reading/process_sources.h"

#include <algorithm>
#include <unordered_map>

#include "collectors/event_record.h"

namespace eventspace {
namespace {

constexpr std::size_t read_at_a_time = RecordsAhead::worth_taking;

}  // namespace

void ProcessSources::bind(const SegmentView& segment, bool from_start) {
  std::unordered_map<std::uint32_t, const SegmentView::Trace*> by_number;
  for (const SegmentView::Trace& trace : segment.traces()) by_number.emplace(trace.spec.trace, &trace);
  const auto& threads = segment.threads();
  threads_.clear();
  readers_.clear();
  for (TraceCursor& cursor : cursors_) {
    const auto trace = by_number.find(cursor.trace());
    cursor.bind(trace == by_number.end() ? nullptr : trace->second, from_start);
    if (trace == by_number.end()) continue;
    readers_.push_back(trace->second->reader);
    const auto thread = std::find(threads.begin(), threads.end(), trace->second->spec.thread);
    if (thread != threads.end()) threads_.push_back(static_cast<std::size_t>(thread - threads.begin()));
  }
  std::sort(threads_.begin(), threads_.end());
  threads_.erase(std::unique(threads_.begin(), threads_.end()), threads_.end());
}

void ProcessSources::settle(bool arrived) noexcept {
  for (TraceCursor& cursor : cursors_) cursor.settle(arrived);
}

void ProcessSources::read_newest(Pull& pull) const {
  for (std::span<const TraceReader> left(readers_); !left.empty();) {
    const auto some = left.first(std::min(left.size(), read_at_a_time));
    TraceReader::read_newest(some, pull.view.records.own(),
                             [](TraceTuple& begun) { begun.words[5] = under_way_outcome; });
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
