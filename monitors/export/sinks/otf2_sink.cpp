#include "monitors/export/sinks/otf2_sink.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <cstdarg>
#include <cstdlib>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <eventspace/error.h>
#include "collectors/mpi/mpi_record.h"
#include "collectors/mpi/mpi_text.h"
#include "monitors/export/sinks/edges.h"
#include "monitors/export/sinks/otf2_definitions.h"
#include "monitors/export/sinks/otf2_events.h"
#include "tuplespace/system/saturating.h"

namespace eventspace::exports {
namespace {

// Errors are also returned; without this, the library would print them.
OTF2_ErrorCode keep_quiet(void*, const char*, uint64_t, const char*, OTF2_ErrorCode code, const char*,
                          va_list) {
  return code;
}

OTF2_FlushType flush_always(void*, OTF2_FileType, OTF2_LocationRef, void*, bool) { return OTF2_FLUSH; }

constexpr OTF2_FlushCallbacks flushing{&flush_always, nullptr};

// Allocates one chunk per writer, which is flushed when it is full. The library's own pool lets a writer fill
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

// "MPI_Ibcast" and "MPI_Bcast_init" count as MPI_Bcast.
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
  [[nodiscard]] double share_of_rest() const noexcept override { return 0.4; }
  bool write_rest(const GoesOn& goes_on) override;
  void end(const Totals& totals) override;

 private:
  /// The data that is written when a slice ends.
  struct Leaving {
    TrackId track{0};
    OTF2_RegionRef region{0};
    std::vector<MpiMessage> received{};
    std::optional<MpiCallRecord> collective{};
  };
  [[nodiscard]] OTF2_TimeStamp stamp(TrackId track, std::int64_t ns);
  [[nodiscard]] std::vector<Otf2Attribute> attributes_of(const Slice& slice);
  void leave(const Leaving& leaving, std::int64_t time);
  void end_collective(const Leaving& leaving, OTF2_TimeStamp time);
  void write_message(TrackId track, const MpiMessage& message, OTF2_TimeStamp time);
  void write_definitions();

  OTF2_Archive* archive_{nullptr};
  Otf2Events events_;
  Recorded recorded_;
  std::optional<Otf2Definitions> definitions_;
  TrackId tracks_{0};
  std::unordered_map<TrackId, std::int64_t> last_of_track_;
  Edges<Leaving> edges_;
  // Times are relative to `origin_ns_`: 0, or the first time if that is before the machine's start.
  std::int64_t origin_ns_{0};
  std::optional<std::int64_t> first_ns_;
  std::int64_t last_ns_{0};
};

Otf2Sink::Otf2Sink(const std::filesystem::path& place) : events_(place.parent_path()) {
  OTF2_Error_RegisterCallback(&keep_quiet, nullptr);
  archive_ =
      OTF2_Archive_Open(place.c_str(), "traces", OTF2_FILEMODE_WRITE, OTF2_CHUNK_SIZE_MIN,
                        OTF2_CHUNK_SIZE_DEFINITIONS_DEFAULT, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
  if (archive_ == nullptr) throw EnvironmentError("cannot make the OTF2 archive at " + place.string());
  check_otf2(OTF2_Archive_SetFlushCallbacks(archive_, &flushing, nullptr), "callbacks");
  check_otf2(OTF2_Archive_SetMemoryCallbacks(archive_, &one_chunk, nullptr), "callbacks");
  check_otf2(OTF2_Archive_SetSerialCollectiveCallbacks(archive_), "callbacks");
  check_otf2(OTF2_Archive_SetCreator(archive_, "EventSpace"), "the creator");
  check_otf2(OTF2_Archive_OpenEvtFiles(archive_), "files of events");
}

Otf2Sink::~Otf2Sink() {
  if (archive_ != nullptr) OTF2_Archive_Close(archive_);
}

void Otf2Sink::begin(const Recorded& recorded) {
  recorded_ = recorded;
  definitions_.emplace(*recorded.names);
}

// The first event has the earliest begin.
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
  tracks_ = track.id;
}

std::vector<Otf2Attribute> Otf2Sink::attributes_of(const Slice& slice) {
  std::vector<Otf2Attribute> attributes;
  const auto add = [&](std::string_view name, OTF2_Type type, std::uint64_t bits) {
    attributes.push_back({definitions_->attribute(name, type), type, bits});
  };
  for (const Argument& argument : slice.arguments) {
    const std::string_view name = argument.name();
    if (const auto* natural = std::get_if<std::uint64_t>(&argument.value))
      add(name, OTF2_TYPE_UINT64, *natural);
    if (const auto* integer = std::get_if<std::int64_t>(&argument.value))
      add(name, OTF2_TYPE_INT64, static_cast<std::uint64_t>(*integer));
    if (const auto* real = std::get_if<double>(&argument.value))
      add(name, OTF2_TYPE_DOUBLE, std::bit_cast<std::uint64_t>(*real));
    if (const auto* text = std::get_if<std::string_view>(&argument.value))
      add(name, OTF2_TYPE_STRING, definitions_->text(*text));
  }
  if (slice.error_ns) add("error_ns", OTF2_TYPE_INT64, static_cast<std::uint64_t>(*slice.error_ns));
  if (slice.in_flight) add("in_flight", OTF2_TYPE_STRING, definitions_->text("true"));
  return attributes;
}

void Otf2Sink::write_message(TrackId track, const MpiMessage& message, OTF2_TimeStamp time) {
  const auto comm = definitions_->communicator(message.communicator, track);
  if (comm) events_.message(track, time, *comm, message);
}

void Otf2Sink::add(const Slice& slice) {
  edges_.end_until(slice.begin_ns,
                   [this](const Leaving& leaving, std::int64_t time) { leave(leaving, time); });
  const OTF2_TimeStamp time = stamp(slice.track, slice.begin_ns);
  Leaving leaving{.track = slice.track, .region = definitions_->region(slice)};
  events_.enter(slice.track, time, leaving.region, attributes_of(slice));
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
      events_.begin_collective(slice.track, time);
    }
  }
  edges_.add(slice.end_ns, std::move(leaving));
}

void Otf2Sink::end_collective(const Leaving& leaving, OTF2_TimeStamp time) {
  const MpiCallRecord& call = *leaving.collective;
  const std::uint32_t root = call.partner == MpiCallRecord::none ? OTF2_UNDEFINED_UINT32 : call.partner;
  events_.end_collective(leaving.track, time,
                         {.op = collective_op(call.call),
                          .communicator = *definitions_->communicator(call.communicator, leaving.track),
                          .root = root,
                          .sent_bytes = call.bytes});
}

void Otf2Sink::leave(const Leaving& leaving, std::int64_t time) {
  const OTF2_TimeStamp at = stamp(leaving.track, time);
  for (const MpiMessage& message : leaving.received) write_message(leaving.track, message, at);
  if (leaving.collective) end_collective(leaving, at);
  events_.leave(leaving.track, at, leaving.region);
}

// Written as if recording had been switched off from the last event of the thread to the next one.
void Otf2Sink::add(const LostEvents& lost) {
  edges_.end_until(lost.end_ns, [this](const Leaving& leaving, std::int64_t time) { leave(leaving, time); });
  const auto last = last_of_track_.find(lost.track);
  const std::int64_t off = std::min(
      last == last_of_track_.end() ? lost.end_ns : std::max(last->second, lost.begin_ns), lost.end_ns);
  const Otf2Attribute records{definitions_->attribute("lost_records", OTF2_TYPE_UINT64), OTF2_TYPE_UINT64,
                              lost.records};
  events_.set_measurement(lost.track, stamp(lost.track, off), OTF2_MEASUREMENT_OFF, {&records, 1});
  events_.set_measurement(lost.track, stamp(lost.track, lost.end_ns), OTF2_MEASUREMENT_ON, {});
}

void Otf2Sink::write_definitions() {
  check_otf2(OTF2_Archive_OpenDefFiles(archive_), "files of definitions");
  for (const OTF2_LocationRef location : definitions_->locations()) {
    OTF2_DefWriter* const writer = OTF2_Archive_GetDefWriter(archive_, location);
    check_otf2(OTF2_Archive_CloseDefWriter(archive_, writer), "definitions of a thread");
  }
  check_otf2(OTF2_Archive_CloseDefFiles(archive_), "files of definitions");
  OTF2_GlobalDefWriter* const writer = OTF2_Archive_GetGlobalDefWriter(archive_);
  if (writer == nullptr) throw EnvironmentError("cannot write the OTF2 archive: no definitions");
  definitions_->write(writer, recorded_, first_ns_.value_or(0), last_ns_, origin_ns_);
  check_otf2(OTF2_Archive_CloseGlobalDefWriter(archive_, writer), "definitions");
}

bool Otf2Sink::write_rest(const GoesOn& goes_on) {
  edges_.end_all([this](const Leaving& leaving, std::int64_t time) { leave(leaving, time); });
  for (TrackId track = 1; track <= tracks_; ++track) {
    const double share = static_cast<double>(track - 1) / static_cast<double>(tracks_);
    if (!events_.write(archive_, track, [&] { return goes_on(share); })) return false;
    definitions_->set_events(track, events_.count(track));
  }
  return true;
}

void Otf2Sink::end(const Totals& /*totals*/) {
  for (const OTF2_LocationRef location : definitions_->add_empty_locations()) {
    OTF2_EvtWriter* const writer = OTF2_Archive_GetEvtWriter(archive_, location);
    check_otf2(OTF2_Archive_CloseEvtWriter(archive_, writer), "events of a thread");
  }
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
