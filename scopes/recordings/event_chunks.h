#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "paths/views/view.h"
#include "scopes/recordings/chunk_file.h"
#include "scopes/tree/plan_names.h"
#include "scopes/wrappers/record_processes.h"

namespace eventspace::recording {

/// Collects views of unread events, and cuts them into views of a chunk each. A chunk has up to 65536
/// records, and fewer in a small recording, so that an unreadable chunk never loses most of it. Holds the
/// views since the last cut in memory. Not thread-safe.
class EventChunks {
 public:
  /// Gets the view of a chunk, and its header fields.
  using Use = std::function<void(const View& view, const NewChunk& chunk)>;

  /// `names` must outlive it.
  explicit EventChunks(const PlanNames& names) : processes_(names) {}

  /// Adds a view that was pulled at `read_ns`, without its names.
  void collect(View&& view, std::int64_t read_ns);
  /// Whether a chunk is full, or the oldest view was pulled at least `longest` before `now_ns`.
  [[nodiscard]] bool is_due(std::int64_t now_ns, std::chrono::nanoseconds longest) const;
  /// The most records of a chunk now.
  [[nodiscard]] std::size_t max_records() const noexcept;
  /// Passes on all collected views; the first chunk gets the losses and missing parts, and reports of all
  /// processes that did not record all events at some time since the last cut.
  void cut(const Use& use);
  /// The number of records that were passed on so far.
  [[nodiscard]] std::uint64_t records() const noexcept { return records_cut_; }

  /// The span of any view's records, by the clocks that the view reports.
  [[nodiscard]] Span span_of(const View& view);

 private:
  struct Found {
    Span span{};
    std::vector<const ProcessReport*> processes;  // recorded some of the records; each once
    ChunkContent content;
  };
  [[nodiscard]] Found look_at(std::span<const TraceTuple> records);
  void add_rest(View& part);
  /// Returns `records`, whose memory can be reused.
  std::vector<TraceTuple> cut_one(std::vector<TraceTuple> records, bool is_first, const Use& use);

  RecordProcesses processes_;
  View collected_;                                  // without its records
  std::map<std::uint32_t, ProcessReport> thinned_;  // by process; of those that did not record all events
  std::vector<TraceTuple> records_;
  std::uint64_t records_cut_{0};
  std::optional<std::int64_t> since_;
  std::int64_t until_{0};
};

}  // namespace eventspace::recording
