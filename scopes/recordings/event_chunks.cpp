#include "scopes/recordings/event_chunks.h"

#include <algorithm>
#include <limits>
#include <unordered_map>
#include <utility>

namespace eventspace::recording {
namespace {

// A chunk of this many records is decoded in a few milliseconds, and would gain little from more.
constexpr std::size_t max_in_a_chunk = 1u << 16;
// Smaller chunks take more room for each record.
constexpr std::size_t fewest_in_a_chunk = 1u << 11;
// A chunk has at most this share of the recorded events.
constexpr std::uint64_t share_of_a_chunk = 16;

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

// The time span of the records of a process, by its clock. The conversion to times is linear, so the times of
// all records lie between the times of the first and the last tick. Converting each record would take longer
// than all the rest.
class Ticks {
 public:
  void add(const RecordHeader& record, const ProcessReport& of) noexcept {
    first_ = std::min(first_, since(record.start, of));
    last_ = std::max(last_, since(record.in_flight() ? record.start : record.end, of));
  }
  void add_to(Span& span, const ProcessReport& of) const noexcept {
    for (const std::int64_t ticks : {first_, last_}) {
      const std::int64_t time = of.here(of.now_ticks + static_cast<std::uint64_t>(ticks)).ns;
      span.first = std::min(span.first, time);
      span.last = std::max(span.last, time);
    }
  }

 private:
  static std::int64_t since(std::uint64_t ticks, const ProcessReport& of) noexcept {
    return static_cast<std::int64_t>(ticks - of.now_ticks);
  }
  std::int64_t first_{std::numeric_limits<std::int64_t>::max()};
  std::int64_t last_{std::numeric_limits<std::int64_t>::min()};
};

}  // namespace

void EventChunks::collect(View&& view, std::int64_t read_ns) {
  if (!since_) since_ = read_ns;
  until_ = read_ns;
  view.positions.clear();  // positions of the recording scope
  view.levels.clear();
  view.names.clear();
  for (const ProcessReport& process : view.processes)
    if (!process.collecting.is_complete()) thinned_.insert_or_assign(process.process, process);
  // A vector of its own keeps its memory. Otherwise, each chunk would allocate and clear a megabyte or more.
  const std::span<const TraceTuple> records = view.records.whole();
  records_.insert(records_.end(), records.begin(), records.end());
  view.records.clear();
  collected_.append(std::move(view));
}

std::size_t EventChunks::max_records() const noexcept {
  return static_cast<std::size_t>(std::clamp<std::uint64_t>(
      (records_cut_ + records_.size()) / share_of_a_chunk, fewest_in_a_chunk, max_in_a_chunk));
}

bool EventChunks::is_due(std::int64_t now_ns, std::chrono::nanoseconds longest) const {
  return records_.size() >= max_records() || (since_ && now_ns - *since_ >= longest.count());
}

void EventChunks::cut(const Use& use) {
  if (!std::exchange(since_, std::nullopt)) return;
  processes_.learn(collected_);
  const std::size_t most = max_records();
  records_cut_ += records_.size();
  if (records_.size() <= most) {
    records_ = cut_one(std::move(records_), true, use);
  } else {
    for (std::size_t from = 0; from < records_.size(); from += most) {
      const auto some = std::span(records_).subspan(from, std::min(most, records_.size() - from));
      cut_one({some.begin(), some.end()}, from == 0, use);
    }
  }
  records_.clear();
  collected_.clear();
}

// Adds what does not belong to records.
void EventChunks::add_rest(View& part) {
  part.loss = collected_.loss;
  part.missing = collected_.missing;
  part.sources_read = collected_.sources_read;
  for (ProcessReport& known : part.processes) {
    auto thinned = thinned_.extract(known.process);
    if (!thinned.empty()) known.collecting = std::move(thinned.mapped().collecting);
  }
  for (auto& [process, report] : thinned_) part.processes.push_back(std::move(report));
  thinned_.clear();
}

// A chunk has the reports of the processes of its events, and in its rest those of processes that have
// thinned events, perhaps to none.
std::vector<TraceTuple> EventChunks::cut_one(std::vector<TraceTuple> records, bool is_first, const Use& use) {
  Found found = look_at(records);
  View part;
  for (const ProcessReport* const process : found.processes) part.processes.push_back(*process);
  if (is_first) {
    found.content.has_rest = !thinned_.empty();
    add_rest(part);
    found.content.has_rest |= part.loss != Loss{} || !part.missing.empty();
  }
  part.records = std::move(records);
  use(part, {.kind = ChunkKind::events,
             .read_ns = until_,
             .span = found.span,
             .records = part.records.size(),
             .content = std::move(found.content)});
  return std::move(part.records.whole());
}

EventChunks::Found EventChunks::look_at(std::span<const TraceTuple> records) {
  Found found;
  std::unordered_map<const ProcessReport*, Ticks> ticks;
  for_each_run(records, [&](std::span<const TraceTuple> run) {
    found.content.threads.push_back(header_of(run.front()).thread);
    const ProcessReport* const process = processes_.of(header_of(run.front()));
    if (process == nullptr) return;
    Ticks& of_process = ticks[process];
    for (const TraceTuple& record : {run.front(), run.back()}) of_process.add(header_of(record), *process);
  });
  for (const auto& [process, of_process] : ticks) {
    found.processes.push_back(process);
    of_process.add_to(found.span, *process);
  }
  keep_each_once(found.processes);
  keep_each_once(found.content.threads);
  return found;
}

Span EventChunks::span_of(const View& view) {
  processes_.learn(view);
  return look_at(view.records.whole()).span;
}

}  // namespace eventspace::recording
