#include "monitors/web/timeline/store_sink.h"

#include <algorithm>

#include "collectors/event_record.h"
#include "collectors/mpi/mpi_record.h"

namespace eventspace::web {
namespace {

constexpr std::size_t most_waiting = std::size_t{1} << 20;

OperationStore::Row row_of(const exports::Track& track) {
  OperationStore::Row row;
  row.thread = track.thread;
  row.process = track.process_name;
  row.node = track.node;
  row.pid = track.pid;
  row.lane = track.lane;
  row.rank = track.rank;
  return row;
}

}  // namespace

void StoreSink::begin(const exports::Recorded& recorded) {
  began_ns_ = recorded.begin_ns;
  ended_ns_ = recorded.end_ns;
  realtime_ns_ = recorded.realtime_ns;
  for (const CollectivePath& path : recorded.names->collective_paths())
    if (!path.uplink_of) collectives_.emplace(path.path, path.collective);
}

// The first time that comes is the earliest. It may be before the recording, which begins with the events
// that were in memory.
OperationStore& StoreSink::store_from(std::int64_t first_ns) {
  if (store_ == nullptr) {
    const std::int64_t origin = std::min(first_ns, began_ns_);
    store_ = std::make_shared<OperationStore>(origin, std::max(ended_ns_, origin), limits_);
    for (const exports::Track& track : waiting_rows_) store_->add_row(row_of(track));
  }
  return *store_;
}

// Tracks are numbered from 1, rows from 0.
void StoreSink::add(const exports::Track& track) {
  if (store_ == nullptr) {
    waiting_rows_.push_back(track);
  } else {
    store_->add_row(row_of(track));
  }
}

void StoreSink::add(const exports::Slice& slice) {
  OperationStore& store = store_from(slice.begin_ns);
  const RecordHeader header = slice.event.header();
  const std::uint32_t row = slice.track - 1;
  StoredOperation operation;
  operation.begin = slice.begin_ns;
  operation.end = slice.is_instant ? slice.begin_ns : slice.end_ns;
  operation.place = {header.sequence, header.path, header.point};
  operation.name = store.name_number(slice.name);
  operation.of = class_of(slice.event.record);
  operation.in_flight = slice.in_flight;
  store.add(row, operation);
  add_messages(slice, row);
  if (operation.of == OperationClass::collective) add_participation(slice, row);
}

void StoreSink::add(const exports::LostEvents& lost) {
  store_from(lost.end_ns).lose(lost.track - 1, lost.begin_ns, lost.end_ns, lost.records);
}

// A tuple has one send, and as many receives as threads read it; a send stays, as more may come.
void StoreSink::add_messages(const exports::Slice& slice, std::uint32_t row) {
  for (const exports::MessageEnd& end : slice.messages) {
    Waiting own{row, end.receives ? slice.end_ns : slice.begin_ns, end.receives, end.certain};
    if (ends_.size() >= most_waiting && !ends_.contains(end.message)) drop_ends();
    auto& others = ends_[end.message];
    const auto sent = std::ranges::find(others, false, &Waiting::receives);
    if (end.receives && sent != others.end()) {
      add_message(*sent, own);
    } else if (end.receives) {
      others.push_back(own);
    } else {
      for (const Waiting& receive : others)
        if (receive.receives) add_message(own, receive);
      others.assign(1, own);
    }
  }
}

void StoreSink::drop_ends() {
  std::uint64_t unmatched = 0;
  for (const auto& [message, ends] : ends_)
    unmatched += static_cast<std::uint64_t>(std::ranges::count(ends, false, &Waiting::is_matched));
  store_->leave_out_messages(unmatched);
  ends_.clear();
}

void StoreSink::add_message(Waiting& send, const Waiting& receive) {
  send.is_matched = true;
  store_->add_message({send.row, receive.row, send.time, receive.time, send.certain && receive.certain});
}

// Operations of MPI are numbered on their communicator, others in their collective.
void StoreSink::add_participation(const exports::Slice& slice, std::uint32_t row) {
  const auto key_of = [](std::uint64_t kind, std::uint32_t where, std::uint64_t number) {
    return kind << 63 | std::uint64_t{where & 0x7fffff} << 40 | (number & 0xff'ffff'ffff);
  };
  std::uint64_t key = 0;
  if (slice.kind == mpi_kind) {
    const MpiCallRecord call = mpi_call_of(slice.event.record);
    if (call.ordinal == 0) return;
    key = key_of(0, call.communicator, call.ordinal);
  } else if (slice.kind == operation_kind) {
    const EventRecord record = decode(slice.event.record);
    const auto collective = collectives_.find(record.path);
    if (record.point != 0 || record.parameter == 0 || collective == collectives_.end()) return;
    key = key_of(1, collective->second, record.parameter);
  } else {
    return;
  }
  store_->add_member({key, row, slice.begin_ns, slice.end_ns});
}

void StoreSink::end(const exports::Totals& totals) {
  totals_ = totals;
  store_from(began_ns_).finish();
  ends_.clear();
}

}  // namespace eventspace::web
