#include "monitors/export/reading/slice_maker.h"

#include <fmt/format.h>

#include <unordered_set>

#include "collectors/event_record.h"
#include "collectors/mpi/mpi_text.h"
#include "collectors/probe_record.h"
#include "collectors/pvm/pvm_calls.h"
#include "monitors/text/code_places.h"

namespace eventspace::exports {
namespace {

// The fields with information beside the track, the times and the kind.
std::vector<FieldReader> fields_of_events() {
  std::vector<FieldReader> fields;
  for (const EventField& field : EventKinds::instance().fields()) {
    if (field.source == FieldSource::stored && field.names != NumberNames::threads)
      fields.emplace_back(field.name);
  }
  fields.emplace_back("peer");
  return fields;
}

bool is_point(const RecordHeader& header, const TraceTuple& record) {
  return header.kind == probe_kind &&
         ((record.words[3] >> 12) & 0xf) == static_cast<unsigned>(ProbeVerb::point);
}

}  // namespace

SliceMaker::SliceMaker(const Watched& watched, const std::deque<ProcessReport>& reports, Sink& sink)
    : watched_(&watched),
      names_(&watched.recorded->names()),
      reports_(&reports),
      sink_(&sink),
      mpi_(*names_),
      fields_(fields_of_events()) {}

Totals SliceMaker::totals() const {
  Totals totals = totals_;
  totals.tracks = last_track_;
  std::unordered_set<std::uint32_t> threads;
  for (const auto& [key, thread] : threads_) threads.insert(static_cast<std::uint32_t>(key));
  totals.threads = threads.size();
  totals.unnumbered_ends = mpi_.unnumbered();
  return totals;
}

SliceMaker::Thread* SliceMaker::thread_of(const TimedItem& item, std::int32_t pid) {
  const std::uint64_t key = std::uint64_t{item.process} << 32 | item.thread;
  const auto known = threads_.find(key);
  if (known != threads_.end()) return &known->second;
  if (threads_.size() >= max_tracks) return nullptr;
  Thread& made = threads_[key];
  made.track.process = item.process;
  made.track.pid = pid;
  made.track.node = names_->node_of_process(item.process);
  made.track.process_name = names_->process_name(item.process);
  made.track.thread = names_->thread_name(item.thread);
  const auto member = names_->member_of_process(item.process);
  if (member) made.track.rank = member->first_job_rank();
  return &made;
}

TrackId SliceMaker::track_of(Thread& thread, std::uint32_t lane) {
  while (thread.lanes.size() <= lane) {
    thread.track.id = ++last_track_;
    thread.track.lane = static_cast<std::uint32_t>(thread.lanes.size());
    if (thread.lanes.empty()) thread.track.first = thread.track.id;
    thread.lanes.push_back(thread.track.id);
    sink_->add(thread.track);
  }
  return thread.lanes[lane];
}

void SliceMaker::use(const EventOrder::Key& key, EventOrder::Words words) {
  const TimedItem item = TimedItem::of(words);
  if (item.what == TimedItem::What::event) {
    TimedItem::records_of(words, records_);
    return use_event(key, item);
  }
  Thread* const thread = item.of_thread ? thread_of(item, reports_->at(item.report).pid) : nullptr;
  const TrackId track = thread == nullptr ? 0 : track_of(*thread, 0);
  if (item.what == TimedItem::What::counter) {
    sink_->add(Counter{.name = counter_names.at(item.counter),
                       .unit = item.counter == cpu_counter ? "ns" : "events",
                       .track = track,
                       .time_ns = key.begin,
                       .value = item.number});
    return;
  }
  if (thread == nullptr) return;
  if (thread->track.rank) mpi_.lose(*thread->track.rank, key.begin);
  totals_.lost_records += item.number;
  sink_->add(LostEvents{track, item.time, key.begin, item.number});
}

void SliceMaker::use_event(const EventOrder::Key& key, const TimedItem& item) {
  const ProcessReport& report = reports_->at(item.report);
  const TraceTuple& own = records_.back();
  const ObservedEvent event{own, &report, std::span(records_).first(records_.size() - 1)};
  const RecordHeader header = event.header();
  Thread* const thread = thread_of(item, report.pid);
  if (thread == nullptr) {
    ++totals_.refused;
    return;
  }
  Slice slice;
  slice.event = event;
  slice.kind = header.kind;
  slice.begin_ns = key.begin;
  slice.end_ns = key.end;
  slice.in_flight = item.in_flight;
  slice.is_instant = is_point(header, own);
  slice.track = track_of(*thread, thread->placing.place(slice.begin_ns, slice.end_ns));
  slice.id = ++totals_.slices;
  totals_.in_flight += item.in_flight ? 1 : 0;
  if (item.time != no_bound) slice.error_ns = item.time;
  slice.kind_name = EventKinds::instance().name_of(header.kind);
  slice.name = name_of(event);
  read_arguments(event);
  read_messages(thread->track, event, key.end, item.in_flight);
  slice.arguments = arguments_;
  slice.messages = ends_;
  slice.mpi_messages = messages_;
  sink_->add(slice);
}

// Makes each name once per verb and path.
std::string_view SliceMaker::composed(std::uint32_t first, std::uint32_t second, std::string_view verb,
                                      std::string_view of) {
  const auto [place, is_new] = composed_.try_emplace(std::uint64_t{first} << 32 | second);
  if (is_new) place->second = of.empty() ? std::string(verb) : fmt::format("{} {}", verb, of);
  return place->second;
}

std::string_view SliceMaker::name_of(const ObservedEvent& event) {
  const EventRecord record = decode(event.record);
  switch (record.kind) {
    case probe_kind:
      return names_->probe_name(probe_name_of(event.record));
    case mpi_kind: {
      const std::uint16_t call = mpi_call_of(event.record).call;
      return composed(mpi_kind, call, name_of_mpi_call(call), {});
    }
    case pvm_kind: {
      const std::uint16_t call = pvm_call_of(event.record).call;
      return composed(pvm_kind, call, name_of_pvm_call(call), {});
    }
    case operation_kind:
      return composed(std::uint32_t{0x100} + static_cast<std::uint32_t>(record.verb), record.path,
                      to_string(record.verb), names_->path_name(record.path));
    default:
      return EventKinds::instance().name_of(record.kind);
  }
}

void SliceMaker::read_arguments(const ObservedEvent& event) {
  arguments_.clear();
  for (const FieldReader& field : fields_) {
    if (!field.is_in(event.header().kind)) continue;
    FieldReader::Value value = field.value(event, *names_);
    if (field.field().names == NumberNames::sites) value = described(value);
    if (!std::holds_alternative<std::monostate>(value)) arguments_.push_back({&field.field(), value});
  }
}

// A place in the program as function, file and line. Each is described once, and kept, since arguments do not
// own their text; the map does not move it.
FieldReader::Value SliceMaker::described(const FieldReader::Value& value) {
  const auto* const place = std::get_if<std::string_view>(&value);
  if (place == nullptr || place->empty()) return value;
  const auto [known, is_new] = places_.try_emplace(std::string(*place));
  if (is_new) known->second = CodePlaces::instance().describe(*place);
  return std::string_view(known->second);
}

void SliceMaker::read_messages(const Track& track, const ObservedEvent& event, std::int64_t end_ns,
                               bool in_flight) {
  ends_.clear();
  messages_.clear();
  const std::uint8_t kind = event.header().kind;
  if (kind == operation_kind && !in_flight) read_tuple(event);
  if (kind == mpi_kind && track.rank)
    mpi_.read({*track.rank, track.process, records_, end_ns, in_flight}, ends_, messages_);
  totals_.message_ends += ends_.size();
  for (const MessageEnd& end : ends_) totals_.uncertain_ends += end.certain ? 0 : 1;
}

// A tuple is a message from the thread that wrote it to the threads that read or take it.
void SliceMaker::read_tuple(const ObservedEvent& event) {
  const EventRecord record = decode(event.record);
  const PathIndex path(record.path);
  const bool is_write = record.verb == Verb::write;
  if (record.point != 0 || record.status != Status::ok || record.parameter == 0) return;
  if (!is_write && record.verb != Verb::read && record.verb != Verb::take) return;
  const Plan& plan = *watched_->plan;
  if (is_local_id(record.path) || !plan.paths.has(path)) return;
  const ElementIndex element = plan.paths[path].element;
  if (plan.elements[element].is_element())
    ends_.push_back(MessageNumbers::tuple_end(element.number32(), record.parameter, !is_write));
}

}  // namespace eventspace::exports
