#include "scopes/recordings/event_chunks.h"

#include <algorithm>
#include <utility>

namespace eventspace::recording {
namespace {

// A chunk of this many records is decoded in a few milliseconds, and would gain little from more.
constexpr std::size_t records_in_a_chunk = 1u << 16;

// Passes on the records of one trace element at a time, which come together.
template <class Use>
void for_each_run(std::span<const TraceTuple> records, Use use) {
  constexpr std::uint64_t point = 0xfff0000;
  const auto differ = [](const TraceTuple& a, const TraceTuple& b) {
    return a.words[2] != b.words[2] || ((a.words[3] ^ b.words[3]) & point) != 0;
  };
  while (!records.empty()) {
    const auto next = std::ranges::adjacent_find(records, differ);
    const auto count =
        next == records.end() ? records.size() : static_cast<std::size_t>(next - records.begin()) + 1;
    use(records.first(count));
    records = records.subspan(count);
  }
}

template <class Value>
void keep_each_once(std::vector<Value>& values) {
  std::ranges::sort(values);
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

}  // namespace

void EventChunks::collect(View&& view, std::int64_t read_ns) {
  if (!since_) since_ = read_ns;
  until_ = read_ns;
  view.positions.clear();  // of the scope that recorded
  view.levels.clear();
  view.names.clear();
  collected_.append(std::move(view));
}

bool EventChunks::is_due(std::int64_t now_ns, std::chrono::nanoseconds longest) const {
  return collected_.records.size() >= records_in_a_chunk || (since_ && now_ns - *since_ >= longest.count());
}

void EventChunks::cut(const Use& use) {
  if (!std::exchange(since_, std::nullopt)) return;
  const std::span<const TraceTuple> all = collected_.records.whole();
  processes_.learn(collected_);
  for (std::size_t from = 0; from == 0 || from < all.size(); from += records_in_a_chunk)
    cut_one(all.subspan(from, std::min(records_in_a_chunk, all.size() - from)), from == 0, use);
  collected_.clear();
}

// A chunk has the reports of the processes of its events alone.
void EventChunks::cut_one(std::span<const TraceTuple> records, bool is_first, const Use& use) {
  Found found = look_at(records);
  View part;
  if (is_first) {
    part.loss = collected_.loss;
    part.missing = collected_.missing;
    part.sources_read = collected_.sources_read;
    found.content.has_rest = part.loss != Loss{} || !part.missing.empty();
  }
  for (const ProcessReport* const process : found.processes) part.processes.push_back(*process);
  part.records = std::vector<TraceTuple>(records.begin(), records.end());
  use(part, {.kind = ChunkKind::events,
             .read_ns = until_,
             .span = found.span,
             .records = records.size(),
             .content = std::move(found.content)});
}

EventChunks::Found EventChunks::look_at(std::span<const TraceTuple> records) {
  Found found;
  for_each_run(records, [&](std::span<const TraceTuple> run) {
    found.content.threads.push_back(header_of(run.front()).thread);
    const ProcessReport* const process = processes_.of(header_of(run.front()));
    if (process == nullptr) return;
    found.processes.push_back(process);
    for (const TraceTuple& record : {run.front(), run.back()}) {
      const RecordHeader header = header_of(record);
      found.span.first = std::min(found.span.first, process->here(header.start).ns);
      found.span.last =
          std::max(found.span.last, process->here(header.in_flight() ? header.start : header.end).ns);
    }
  });
  keep_each_once(found.processes);
  keep_each_once(found.content.threads);
  return found;
}

Span EventChunks::span_of(const View& view) {
  processes_.learn(view);
  return look_at(view.records.whole()).span;
}

}  // namespace eventspace::recording
