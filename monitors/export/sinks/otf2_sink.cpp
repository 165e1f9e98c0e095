#include "monitors/export/sinks/otf2_sink.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdarg>
#include <cstdlib>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "collectors/mpi/mpi_record.h"
#include "collectors/mpi/mpi_text.h"
#include "monitors/export/sinks/edges.h"
#include "monitors/export/sinks/otf2_definitions.h"
#include "tuplespace/system/error.h"
#include "tuplespace/system/saturating.h"

namespace eventspace::exports {
namespace {

// Errors are returned as well; the library would print them.
OTF2_ErrorCode keep_quiet(void*, const char*, uint64_t, const char*, OTF2_ErrorCode code, const char*,
                          va_list) {
  return code;
}

OTF2_FlushType flush_always(void*, OTF2_FileType, OTF2_LocationRef, void*, bool) { return OTF2_FLUSH; }

constexpr OTF2_FlushCallbacks flushing{&flush_always, nullptr};

// One chunk for each writer, which is flushed when it is full. The library's own pool lets each writer fill
// 128 MiB.
void* allocate_chunk(void*, OTF2_FileType, OTF2_LocationRef, void** chunk, uint64_t bytes) {
  if (*chunk != nullptr) return nullptr;
  return *chunk = std::malloc(bytes);
}

void free_chunk(void*, OTF2_FileType, OTF2_LocationRef, void** chunk, bool) {
  std::free(*chunk);
  *chunk = nullptr;
}

constexpr OTF2_MemoryCallbacks one_chunk{&allocate_chunk, &free_chunk};

// Of "MPI_Ibcast" and "MPI_Bcast_init" that of MPI_Bcast.
OTF2_CollectiveOp collective_op(std::uint16_t call) {
  static constexpr std::array<std::pair<std::string_view, OTF2_CollectiveOp>, 17> ops{
      {{"barrier", OTF2_COLLECTIVE_OP_BARRIER},
       {"bcast", OTF2_COLLECTIVE_OP_BCAST},
       {"gather", OTF2_COLLECTIVE_OP_GATHER},
       {"gatherv", OTF2_COLLECTIVE_OP_GATHERV},
       {"scatter", OTF2_COLLECTIVE_OP_SCATTER},
       {"scatterv", OTF2_COLLECTIVE_OP_SCATTERV},
       {"allgather", OTF2_COLLECTIVE_OP_ALLGATHER},
       {"allgatherv", OTF2_COLLECTIVE_OP_ALLGATHERV},
       {"alltoall", OTF2_COLLECTIVE_OP_ALLTOALL},
       {"alltoallv", OTF2_COLLECTIVE_OP_ALLTOALLV},
       {"alltoallw", OTF2_COLLECTIVE_OP_ALLTOALLW},
       {"allreduce", OTF2_COLLECTIVE_OP_ALLREDUCE},
       {"reduce", OTF2_COLLECTIVE_OP_REDUCE},
       {"reduce_scatter", OTF2_COLLECTIVE_OP_REDUCE_SCATTER},
       {"reduce_scatter_block", OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK},
       {"scan", OTF2_COLLECTIVE_OP_SCAN},
       {"exscan", OTF2_COLLECTIVE_OP_EXSCAN}}};
  std::string name = name_of_mpi_call(call);
  if (!name.starts_with("MPI_")) return OTF2_COLLECTIVE_OP_CREATE_HANDLE;
  name = name.substr(4);
  if (name.ends_with("_c")) name.resize(name.size() - 2);
  std::ranges::transform(name, name.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const auto found = std::ranges::find_if(
      ops, [&](const auto& op) { return name == op.first || name == fmt::format("i{}", op.first); });
  if (found == ops.end()) return OTF2_COLLECTIVE_OP_CREATE_HANDLE;
  return found->second;
}

class Otf2Sink final : public Sink {
 public:
  explicit Otf2Sink(const std::filesystem::path& place);
  ~Otf2Sink() override;

  void begin(const Recorded& recorded) override;
  using Sink::add;
  void add(const Track& track) override;
  void add(const Slice& slice) override;
  void add(const LostEvents& lost) override;
  void end(const Totals& totals) override;

 private:
  /// What is written when a slice ends.
  struct Leaving {
    TrackId track{0};
    OTF2_RegionRef region{0};
    std::vector<MpiMessage> received{};
    std::optional<MpiCallRecord> collective{};
  };
  [[nodiscard]] OTF2_TimeStamp stamp(TrackId track, std::int64_t ns);
  OTF2_EvtWriter* writer_of(TrackId track) { return writers_.at(track - 1); }
  void set_attributes(const Slice& slice);
  void leave(const Leaving& leaving, std::int64_t time);
  void end_collective(const Leaving& leaving, OTF2_TimeStamp time);
  void write_message(TrackId track, const MpiMessage& message, OTF2_TimeStamp time);
  void wrote(OTF2_ErrorCode code, TrackId track) {
    check_otf2(code, "an event");
    definitions_->add_event(track);
  }
  void write_definitions();

  OTF2_Archive* archive_{nullptr};
  OTF2_AttributeList* attributes_{nullptr};
  Recorded recorded_;
  std::optional<Otf2Definitions> definitions_;
  std::vector<OTF2_EvtWriter*> writers_;  // by track
  std::unordered_map<TrackId, std::int64_t> last_of_track_;
  Edges<Leaving> edges_;
  // Times are written since `origin_ns_`: 0, or the first time if the machine was started later.
  std::int64_t origin_ns_{0};
  std::optional<std::int64_t> first_ns_;
  std::int64_t last_ns_{0};
};

Otf2Sink::Otf2Sink(const std::filesystem::path& place) {
  OTF2_Error_RegisterCallback(&keep_quiet, nullptr);
  archive_ =
      OTF2_Archive_Open(place.c_str(), "traces", OTF2_FILEMODE_WRITE, OTF2_CHUNK_SIZE_MIN,
                        OTF2_CHUNK_SIZE_DEFINITIONS_DEFAULT, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
  if (archive_ == nullptr) throw EnvironmentError("cannot make the archive of OTF2 at " + place.string());
  check_otf2(OTF2_Archive_SetFlushCallbacks(archive_, &flushing, nullptr), "callbacks");
  check_otf2(OTF2_Archive_SetMemoryCallbacks(archive_, &one_chunk, nullptr), "callbacks");
  check_otf2(OTF2_Archive_SetSerialCollectiveCallbacks(archive_), "callbacks");
  check_otf2(OTF2_Archive_SetCreator(archive_, "EventSpace"), "the creator");
  check_otf2(OTF2_Archive_OpenEvtFiles(archive_), "files of events");
  attributes_ = OTF2_AttributeList_New();
}

Otf2Sink::~Otf2Sink() {
  if (attributes_ != nullptr) OTF2_AttributeList_Delete(attributes_);
  if (archive_ != nullptr) OTF2_Archive_Close(archive_);
}

void Otf2Sink::begin(const Recorded& recorded) {
  recorded_ = recorded;
  definitions_.emplace(*recorded.names);
}

// The first event begins first of all.
OTF2_TimeStamp Otf2Sink::stamp(TrackId track, std::int64_t ns) {
  if (!first_ns_) {
    first_ns_ = last_ns_ = ns;
    origin_ns_ = std::min<std::int64_t>(ns, 0);
  }
  last_ns_ = std::max(last_ns_, ns);
  last_of_track_[track] = ns;
  return static_cast<OTF2_TimeStamp>(ns - origin_ns_);
}

void Otf2Sink::add(const Track& track) {
  definitions_->add(track);
  writers_.push_back(OTF2_Archive_GetEvtWriter(archive_, track.id));
  if (writers_.back() == nullptr)
    throw EnvironmentError("cannot write the archive of OTF2: no memory for a thread");
}

void Otf2Sink::set_attributes(const Slice& slice) {
  OTF2_AttributeList_RemoveAllAttributes(attributes_);
  const auto number = [this](std::string_view name, OTF2_Type type) {
    return definitions_->attribute(name, type);
  };
  for (const Argument& argument : slice.arguments) {
    const std::string_view name = argument.name();
    if (const auto* natural = std::get_if<std::uint64_t>(&argument.value))
      OTF2_AttributeList_AddUint64(attributes_, number(name, OTF2_TYPE_UINT64), *natural);
    if (const auto* integer = std::get_if<std::int64_t>(&argument.value))
      OTF2_AttributeList_AddInt64(attributes_, number(name, OTF2_TYPE_INT64), *integer);
    if (const auto* real = std::get_if<double>(&argument.value))
      OTF2_AttributeList_AddDouble(attributes_, number(name, OTF2_TYPE_DOUBLE), *real);
    if (const auto* text = std::get_if<std::string_view>(&argument.value))
      OTF2_AttributeList_AddStringRef(attributes_, number(name, OTF2_TYPE_STRING), definitions_->text(*text));
  }
  if (slice.error_ns)
    OTF2_AttributeList_AddInt64(attributes_, number("error_ns", OTF2_TYPE_INT64), *slice.error_ns);
  if (slice.in_flight)
    OTF2_AttributeList_AddStringRef(attributes_, number("in_flight", OTF2_TYPE_STRING),
                                    definitions_->text("true"));
}

void Otf2Sink::write_message(TrackId track, const MpiMessage& message, OTF2_TimeStamp time) {
  const auto comm = definitions_->communicator(message.communicator, track);
  if (!comm) return;
  const auto write = message.receives ? &OTF2_EvtWriter_MpiRecv : &OTF2_EvtWriter_MpiSend;
  wrote(write(writer_of(track), nullptr, time, message.partner, *comm, message.tag, message.bytes), track);
}

void Otf2Sink::add(const Slice& slice) {
  edges_.end_until(slice.begin_ns,
                   [this](const Leaving& leaving, std::int64_t time) { leave(leaving, time); });
  const OTF2_TimeStamp time = stamp(slice.track, slice.begin_ns);
  Leaving leaving{.track = slice.track, .region = definitions_->region(slice)};
  set_attributes(slice);
  wrote(OTF2_EvtWriter_Enter(writer_of(slice.track), attributes_, time, leaving.region), slice.track);
  for (const MpiMessage& message : slice.mpi_messages) {
    if (message.receives) {
      leaving.received.push_back(message);
    } else {
      write_message(slice.track, message, time);
    }
  }
  if (slice.kind == mpi_kind) {
    const MpiCallRecord call = mpi_call_of(slice.event.record);
    const bool is_blocking = call.of == MpiClass::collective && call.ordinal != 0 && !slice.in_flight;
    if (is_blocking && definitions_->communicator(call.communicator, slice.track)) {
      leaving.collective = call;
      wrote(OTF2_EvtWriter_MpiCollectiveBegin(writer_of(slice.track), nullptr, time), slice.track);
    }
  }
  edges_.add(slice.end_ns, std::move(leaving));
}

void Otf2Sink::end_collective(const Leaving& leaving, OTF2_TimeStamp time) {
  const MpiCallRecord& call = *leaving.collective;
  const std::uint32_t root = call.partner == MpiCallRecord::none ? OTF2_UNDEFINED_UINT32 : call.partner;
  wrote(OTF2_EvtWriter_MpiCollectiveEnd(writer_of(leaving.track), nullptr, time, collective_op(call.call),
                                        *definitions_->communicator(call.communicator, leaving.track), root,
                                        call.bytes, 0),
        leaving.track);
}

void Otf2Sink::leave(const Leaving& leaving, std::int64_t time) {
  const OTF2_TimeStamp at = stamp(leaving.track, time);
  for (const MpiMessage& message : leaving.received) write_message(leaving.track, message, at);
  if (leaving.collective) end_collective(leaving, at);
  wrote(OTF2_EvtWriter_Leave(writer_of(leaving.track), nullptr, at, leaving.region), leaving.track);
}

// As if recording had been switched off: behind the last event of the thread, and until the next one.
void Otf2Sink::add(const LostEvents& lost) {
  edges_.end_until(lost.end_ns, [this](const Leaving& leaving, std::int64_t time) { leave(leaving, time); });
  const auto last = last_of_track_.find(lost.track);
  const std::int64_t off = std::min(
      last == last_of_track_.end() ? lost.end_ns : std::max(last->second, lost.begin_ns), lost.end_ns);
  OTF2_EvtWriter* const writer = writer_of(lost.track);
  OTF2_AttributeList_RemoveAllAttributes(attributes_);
  OTF2_AttributeList_AddUint64(attributes_, definitions_->attribute("lost_records", OTF2_TYPE_UINT64),
                               lost.records);
  wrote(OTF2_EvtWriter_MeasurementOnOff(writer, attributes_, stamp(lost.track, off), OTF2_MEASUREMENT_OFF),
        lost.track);
  wrote(OTF2_EvtWriter_MeasurementOnOff(writer, nullptr, stamp(lost.track, lost.end_ns), OTF2_MEASUREMENT_ON),
        lost.track);
}

void Otf2Sink::write_definitions() {
  check_otf2(OTF2_Archive_OpenDefFiles(archive_), "files of definitions");
  for (const OTF2_LocationRef location : definitions_->locations()) {
    OTF2_DefWriter* const writer = OTF2_Archive_GetDefWriter(archive_, location);
    check_otf2(OTF2_Archive_CloseDefWriter(archive_, writer), "definitions of a thread");
  }
  check_otf2(OTF2_Archive_CloseDefFiles(archive_), "files of definitions");
  OTF2_GlobalDefWriter* const writer = OTF2_Archive_GetGlobalDefWriter(archive_);
  if (writer == nullptr) throw EnvironmentError("cannot write the archive of OTF2: no definitions");
  definitions_->write(writer, recorded_, first_ns_.value_or(0), last_ns_, origin_ns_);
  check_otf2(OTF2_Archive_CloseGlobalDefWriter(archive_, writer), "definitions");
}

void Otf2Sink::end(const Totals& /*totals*/) {
  edges_.end_all([this](const Leaving& leaving, std::int64_t time) { leave(leaving, time); });
  for (const OTF2_LocationRef location : definitions_->add_empty_locations())
    writers_.push_back(OTF2_Archive_GetEvtWriter(archive_, location));
  for (OTF2_EvtWriter* const writer : writers_)
    check_otf2(OTF2_Archive_CloseEvtWriter(archive_, writer), "events of a thread");
  check_otf2(OTF2_Archive_CloseEvtFiles(archive_), "files of events");
  write_definitions();
  OTF2_Archive* const archive = std::exchange(archive_, nullptr);
  check_otf2(OTF2_Archive_Close(archive), "the archive");
}

}  // namespace

std::unique_ptr<Sink> otf2_sink(const std::filesystem::path& place) {
  return std::make_unique<Otf2Sink>(place);
}

}  // namespace eventspace::exports
