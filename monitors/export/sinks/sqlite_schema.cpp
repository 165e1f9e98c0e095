#include "monitors/export/sinks/sqlite_schema.h"

#include <fmt/format.h>

#include <string_view>

#include "collectors/kinds/event_kinds.h"

namespace eventspace::exports {
namespace {

bool is_column(const EventField& field) {
  return field.source == FieldSource::stored && field.name != "thread";
}

template <class Use>
void for_each_column(Use use) {
  for (const EventField& field : EventKinds::instance().fields()) {
    if (is_column(field)) use(field);
  }
}

// Some names of fields are keywords of SQL: "from".
std::string quoted_name(std::string_view name) { return fmt::format("\"{}\"", name); }

// A text is a number of the table of texts. A number of an event may be an integer or a real.
std::string slice_columns() {
  std::string columns;
  for_each_column([&columns](const EventField& field) {
    const bool is_text = field.type == ValueType::text;
    columns += fmt::format(",\n  {}{}", quoted_name(field.name), is_text ? " integer references text" : "");
  });
  return columns;
}

std::string event_columns() {
  std::string columns;
  for_each_column([&columns](const EventField& field) {
    const std::string name = quoted_name(field.name);
    columns += field.type == ValueType::text
                   ? fmt::format(",\n  (select text from text where id = slice.{0}) as {0}", name)
                   : fmt::format(",\n  slice.{0} as {0}", name);
  });
  return columns;
}

constexpr std::string_view views = R"(
create index slice_by_track on slice (track, begin_ns);
create index slice_by_begin on slice (begin_ns);
create index slice_by_name on slice (name, begin_ns);
create index message_end_by_message on message_end (message);
create index message_end_by_slice on message_end (slice);
create index counter_by_track on counter (track, name, time_ns);
create index lost_by_track on lost (track, begin_ns);
create view messages as select
  sent.message as message, sent.slice as send, received.slice as receive, sent.certain and received.certain as certain,
  a.track as from_track, b.track as to_track,
  (select thread from track where id = a.track) as from_thread,
  (select process from track where id = a.track) as from_process,
  (select thread from track where id = b.track) as to_thread,
  (select process from track where id = b.track) as to_process,
  a.begin_ns as sent_ns, b.end_ns as received_ns, b.end_ns - a.begin_ns as under_way_ns,
  b.begin_ns as awaited_ns, max(0, a.begin_ns - b.begin_ns) as late_ns, a.bytes as bytes
from message_end sent join message_end received on received.message = sent.message
  join slice a on a.id = sent.slice join slice b on b.id = received.slice
where not sent.receives and received.receives;
create view unmatched as select message_end.message, message_end.receives, events.*
from message_end join events on events.id = message_end.slice
where not exists (select 1 from message_end other
  where other.message = message_end.message and other.receives <> message_end.receives);
create view operations as select process, thread, name, count(*) as times, sum(duration_ns) as total_ns,
  avg(duration_ns) as mean_ns, min(duration_ns) as least_ns, max(duration_ns) as most_ns, sum(bytes) as bytes
from events where not in_flight group by track, name;
create view collective_operations as select communicator, ordinal, call as name, count(*) as members,
  min(begin_ns) as first_ns, max(begin_ns) as last_ns, max(begin_ns) - min(begin_ns) as spread_ns,
  max(end_ns) - max(begin_ns) as rest_ns, sum(duration_ns) as total_ns
from events where kind = 'mpi' and ordinal is not null group by communicator, ordinal, call
union all select null, parameter, path, count(*), min(begin_ns), max(begin_ns), max(begin_ns) - min(begin_ns),
  max(end_ns) - max(begin_ns), sum(duration_ns)
from events where kind = 'operation' and verb = 'exchange' and point = 'thread' group by parameter, path;
create view losses as select track.node, track.process, track.thread, sum(lost.records) as records,
  count(*) as gaps, min(lost.begin_ns) as first_ns, max(lost.end_ns) as last_ns
from lost join track on track.id = lost.track group by lost.track;
commit;
)";

}  // namespace

std::string sqlite_tables() {
  return fmt::format(R"(
pragma journal_mode = off;
pragma synchronous = off;
pragma foreign_keys = off;
pragma user_version = 1;
begin;
create table recording (name text primary key, value) without rowid;
create table text (id integer primary key, text text not null);
create table track (id integer primary key, node text not null, process text not null, pid integer, rank integer,
  thread text not null, lane integer not null, first integer not null references track);
create table slice (id integer primary key, track integer not null references track,
  begin_ns integer not null, end_ns integer not null, error_ns integer, in_flight integer not null,
  kind integer not null references text, name integer not null references text{});
create table message_end (message integer not null, slice integer not null references slice,
  receives integer not null, certain integer not null);
create table counter (track integer references track, name text not null, unit text not null,
  time_ns integer not null, value integer not null);
create table lost (track integer not null references track, begin_ns integer not null, end_ns integer not null,
  records integer not null);
)",
                     slice_columns());
}

std::string sqlite_views() {
  return fmt::format(R"(
create view events as select slice.id as id, slice.track as track, track.node as node, track.process as process,
  track.rank as rank, track.thread as thread, slice.begin_ns as begin_ns, slice.end_ns as end_ns,
  slice.end_ns - slice.begin_ns as duration_ns, slice.error_ns as error_ns, slice.in_flight as in_flight,
  (select text from text where id = slice.kind) as kind,
  (select text from text where id = slice.name) as name{}
from slice join track on track.id = slice.track;
)",
                     event_columns()) +
         std::string(views);
}

std::string sqlite_insert_slice() {
  std::string places = "?, ?, ?, ?, ?, ?, ?, ?";
  for_each_column([&places](const EventField&) { places += ", ?"; });
  return "insert into slice values (" + places + ")";
}

}  // namespace eventspace::exports
