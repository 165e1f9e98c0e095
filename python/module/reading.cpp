#include "python/module/reading.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <system_error>
#include <utility>

#include "pathmaps/questions/question_scope.h"

namespace eventspace::python {
namespace {

// Bytes of the file for each piece: about 2^15 events. The columns of three pieces are in memory at a time.
constexpr std::uint64_t bytes_of_piece = 256u << 10;
constexpr std::uint64_t most_pieces = 16384;

/// Yields the events of a recording in the order of their ends, in pieces of equal time.
class PiecesOfTime {
 public:
  PiecesOfTime(Source& source, const EventQuery& query)
      : scope_(source.monitor.open(query)),
        begin_ns_(source.recording->begin_ns()),
        end_ns_(source.recording->end_ns()) {
    std::error_code error;
    const auto bytes = std::filesystem::file_size(source.recording->file(), error);
    if (!error) pieces_ = std::clamp<std::uint64_t>(bytes / bytes_of_piece, 1, most_pieces);
  }

  std::optional<Events> next() {
    if (!has_more_ && piece_ == pieces_) return std::nullopt;
    if (!has_more_) ++piece_;
    Events events = scope_.pull_at(end_of_piece());
    has_more_ = events.has_more();
    return events;
  }

 private:
  [[nodiscard]] std::int64_t end_of_piece() const {
    if (piece_ == pieces_) return end_ns_;
    return begin_ns_ + static_cast<std::int64_t>(static_cast<double>(end_ns_ - begin_ns_) *
                                                 static_cast<double>(piece_) / static_cast<double>(pieces_));
  }

  Scope scope_;
  const std::int64_t begin_ns_;
  const std::int64_t end_ns_;
  std::uint64_t pieces_{1};
  std::uint64_t piece_{0};
  bool has_more_{false};
};

bool wants_in_flight(const EventQuery& query) {
  return query.in_flight || names_field(query.where, "in_flight");
}

// Whether the query concerns the whole recording, and needs all its events at once.
bool is_of_the_end(const EventQuery& query) {
  return query.last != 0 || query.since || wants_in_flight(query);
}

}  // namespace

EventTable read_events(Source& source, const EventQuery& query, Deadline deadline,
                       const std::vector<std::string>& fields, GivenUp& given_up) {
  EventTable table(fields, wants_in_flight(query));
  if (!source.monitor.is_recorded() || is_of_the_end(query)) {
    table.add(source.monitor.events(query, deadline));
  } else {
    PiecesOfTime pieces(source, query);
    table.add_all(
        [&]() -> std::optional<Events> { return given_up.wait_for({}) ? std::nullopt : pieces.next(); });
  }
  table.finish();
  return table;
}

}  // namespace eventspace::python
