#include "monitors/export/sinks/sqlite_sink.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "monitors/export/sinks/sqlite_schema.h"
#include "monitors/export/sinks/sqlite_statement.h"
#include "tuplespace/system/plain_text.h"
#include "tuplespace/system/saturating.h"

namespace eventspace::exports {
namespace {

// SQLite has signed integers of 64 bits; greater numbers become reals, as in SQL's own arithmetic.
void bind_natural(SqliteInsert& row, std::uint64_t value) {
  if (value >> 63 == 0) {
    row.integer(static_cast<std::int64_t>(value));
  } else {
    row.real(static_cast<double>(value));
  }
}

/// Makes the tables before the statements that write to them.
class SqliteDatabase : public SqliteFile {
 public:
  explicit SqliteDatabase(const std::filesystem::path& file) : SqliteFile(file) { run(sqlite_tables()); }
};

class SqliteSink final : public Sink {
 public:
  explicit SqliteSink(const std::filesystem::path& file) : database_(file) {
    for (const EventField& field : EventKinds::instance().fields()) {
      if (field.source == FieldSource::stored && field.name != "thread") columns_.push_back(&field);
    }
  }
  void begin(const Recorded& recorded) override;
  void add(const Track& track) override;
  void add(const Slice& slice) override;
  void add(const Counter& counter) override;
  void add(const LostEvents& lost) override;
  void end(const Totals& totals) override;

 private:
  [[nodiscard]] std::int64_t realtime(std::int64_t ns) const { return saturating::add(ns, realtime_ns_); }
  std::int64_t number_of(std::string_view text);
  void bind(const Argument& argument);
  void fact(std::string_view name, std::string_view value) { fact_.text(name).text(value).insert(); }
  void fact(std::string_view name, std::uint64_t value) {
    fact_.text(name);
    bind_natural(fact_, value);
    fact_.insert();
  }

  SqliteDatabase database_;
  SqliteInsert fact_{database_, "insert into recording values (?, ?)"};
  SqliteInsert text_{database_, "insert into text values (?, ?)"};
  SqliteInsert track_{database_, "insert into track values (?, ?, ?, ?, ?, ?, ?, ?)"};
  SqliteInsert slice_{database_, sqlite_insert_slice()};
  SqliteInsert message_end_{database_, "insert into message_end values (?, ?, ?, ?)"};
  SqliteInsert counter_{database_, "insert into counter values (?, ?, ?, ?, ?)"};
  SqliteInsert lost_{database_, "insert into lost values (?, ?, ?, ?)"};
  std::vector<const EventField*> columns_;
  std::unordered_map<std::string, std::int64_t> texts_;
  std::int64_t realtime_ns_{0};
};

void SqliteSink::begin(const Recorded& recorded) {
  realtime_ns_ = recorded.realtime_ns;
  fact("session", escaped(recorded.session.session));
  fact("recorded_on", escaped(recorded.session.node));
  fact("recorded_by", escaped(recorded.session.program));
  fact("pathmap", escaped(recorded.session.pathmap, Newlines::kept));
  fact("begin_ns", static_cast<std::uint64_t>(realtime(recorded.begin_ns)));
  fact("end_ns", static_cast<std::uint64_t>(realtime(recorded.end_ns)));
}

std::int64_t SqliteSink::number_of(std::string_view text) {
  const auto [known, is_new] =
      texts_.try_emplace(std::string(text), static_cast<std::int64_t>(texts_.size() + 1));
  if (is_new) text_.integer(known->second).text(escaped(text)).insert();
  return known->second;
}

void SqliteSink::add(const Track& track) {
  track_.integer(track.id).text(escaped(track.node)).text(escaped(track.process_name)).integer(track.pid);
  track_.integer(track.rank ? std::optional<std::int64_t>(*track.rank) : std::nullopt);
  track_.text(escaped(track.thread)).integer(track.lane).integer(track.first).insert();
}

void SqliteSink::bind(const Argument& argument) {
  if (const auto* natural = std::get_if<std::uint64_t>(&argument.value)) bind_natural(slice_, *natural);
  if (const auto* integer = std::get_if<std::int64_t>(&argument.value)) slice_.integer(*integer);
  if (const auto* real = std::get_if<double>(&argument.value)) slice_.real(*real);
  if (const auto* truth = std::get_if<bool>(&argument.value)) slice_.integer(*truth ? 1 : 0);
  if (const auto* text = std::get_if<std::string_view>(&argument.value)) slice_.integer(number_of(*text));
}

void SqliteSink::add(const Slice& slice) {
  const std::int64_t kind = number_of(slice.kind_name);
  const std::int64_t name = number_of(slice.name);
  slice_.integer(static_cast<std::int64_t>(slice.id)).integer(slice.track);
  slice_.integer(realtime(slice.begin_ns)).integer(realtime(slice.end_ns)).integer(slice.error_ns);
  slice_.integer(slice.in_flight ? 1 : 0).integer(kind).integer(name);
  for (const EventField* column : columns_) {
    const auto has = [column](const Argument& argument) { return argument.field == column; };
    const auto argument = std::find_if(slice.arguments.begin(), slice.arguments.end(), has);
    if (argument == slice.arguments.end()) {
      slice_.null();
    } else {
      bind(*argument);
    }
  }
  slice_.insert();
  for (const MessageEnd& end : slice.messages) {
    message_end_.integer(static_cast<std::int64_t>(end.message)).integer(static_cast<std::int64_t>(slice.id));
    message_end_.integer(end.receives ? 1 : 0).integer(end.certain ? 1 : 0).insert();
  }
}

void SqliteSink::add(const Counter& counter) {
  counter_.integer(counter.track == 0 ? std::nullopt : std::optional<std::int64_t>(counter.track));
  counter_.text(counter.name).text(counter.unit).integer(realtime(counter.time_ns));
  bind_natural(counter_, counter.value);
  counter_.insert();
}

void SqliteSink::add(const LostEvents& lost) {
  lost_.integer(lost.track).integer(realtime(lost.begin_ns)).integer(realtime(lost.end_ns));
  bind_natural(lost_, lost.records);
  lost_.insert();
}

void SqliteSink::end(const Totals& totals) {
  const std::pair<const char*, std::uint64_t> counts[] = {{"events", totals.events()},
                                                          {"in_flight", totals.in_flight},
                                                          {"uncertain_message_ends", totals.uncertain_ends},
                                                          {"unnumbered_message_ends", totals.unnumbered_ends},
                                                          {"lost_records", totals.lost_records},
                                                          {"removed_records", totals.removed_records},
                                                          {"damaged_records", totals.damaged_records},
                                                          {"moved_events", totals.moved},
                                                          {"refused_events", totals.refused},
                                                          {"damaged_chunks", totals.damaged_chunks},
                                                          {"discarded", totals.loss.discarded},
                                                          {"earlier", totals.loss.earlier},
                                                          {"torn", totals.loss.torn},
                                                          {"emptied", totals.loss.emptied}};
  for (const auto& [name, value] : counts) fact(name, value);
  database_.run(sqlite_views());
}

}  // namespace

std::unique_ptr<Sink> sqlite_sink(const std::filesystem::path& file) {
  return std::make_unique<SqliteSink>(file);
}

}  // namespace eventspace::exports
