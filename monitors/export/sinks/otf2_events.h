#pragma once

#include <otf2/otf2.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <vector>

#include "monitors/export/reading/model.h"
#include "monitors/export/sinks/number_streams.h"

namespace eventspace::exports {

/// A field of an event: its definition, and its value as the bits of the union OTF2_AttributeValue.
struct Otf2Attribute {
  OTF2_AttributeRef number{0};
  OTF2_Type type{OTF2_TYPE_NONE};
  std::uint64_t bits{0};
};

/// The events of an archive, kept until all are known and then written location by location. OTF2's library
/// keeps a chunk of 256 KiB to 4 MiB of the file for each open location, whatever its parameters; so only one
/// location is open at a time. Tracks are numbered from 1, and are the locations. Events of a track must come
/// in order of time. Not thread-safe.
///
/// All functions except write() throw the errors of NumberStreams::add.
class Otf2Events {
 public:
  /// `directory`: place of a temporary file of about the size of the archive.
  explicit Otf2Events(std::filesystem::path directory) : rows_(std::move(directory)) {}

  void enter(TrackId track, OTF2_TimeStamp time, OTF2_RegionRef region,
             std::span<const Otf2Attribute> attributes);
  void leave(TrackId track, OTF2_TimeStamp time, OTF2_RegionRef region);
  void message(TrackId track, OTF2_TimeStamp time, OTF2_CommRef communicator, const MpiMessage& message);
  void begin_collective(TrackId track, OTF2_TimeStamp time);
  struct Collective {
    OTF2_CollectiveOp op{OTF2_COLLECTIVE_OP_BARRIER};
    OTF2_CommRef communicator{0};
    std::uint32_t root{0};
    std::uint64_t sent_bytes{0};
  };
  void end_collective(TrackId track, OTF2_TimeStamp time, const Collective& collective);
  void set_measurement(TrackId track, OTF2_TimeStamp time, OTF2_MeasurementMode mode,
                       std::span<const Otf2Attribute> attributes);

  /// Number of events of a track.
  [[nodiscard]] std::uint64_t count(TrackId track) const noexcept {
    return track <= tracks_.size() ? tracks_[track - 1].events : 0;
  }
  /// Writes the events of a track, and closes its file. Calls `goes_on` every few thousand events; returns
  /// false as soon as it does. Throws EnvironmentError if the archive cannot be written.
  bool write(OTF2_Archive* archive, TrackId track, const std::function<bool()>& goes_on) const;

 private:
  struct Of {
    OTF2_TimeStamp last{0};
    std::uint64_t events{0};
  };
  void begin_row(TrackId track, OTF2_TimeStamp time, std::uint64_t kind);
  void add_attributes(std::span<const Otf2Attribute> attributes);
  void end_row(TrackId track) { rows_.add(track - 1, row_); }

  NumberStreams rows_;
  std::vector<Of> tracks_;
  std::vector<std::uint64_t> row_;
};

}  // namespace eventspace::exports
