#pragma once

#include <otf2/otf2.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "monitors/export/reading/model.h"
#include "monitors/mpi/job_communicators.h"

namespace eventspace::exports {

/// Throws EnvironmentError with the library's message unless `code` is success.
void check_otf2(OTF2_ErrorCode code, const char* what);

/// The definitions to which the events of an archive refer by number: collected while events are written, and
/// written at the end. Not thread-safe.
class Otf2Definitions {
 public:
  /// `names` must outlive it.
  explicit Otf2Definitions(const PlanNames& names) : names_(&names), communicators_(names) { text(""); }

  OTF2_StringRef text(std::string_view text);
  OTF2_RegionRef region(const Slice& slice);
  OTF2_AttributeRef attribute(std::string_view name, OTF2_Type type);
  void add(const Track& track);
  void set_events(TrackId track, std::uint64_t count) { events_[track] = count; }
  /// The number of a communicator whose members are known, for events of `track`; nullopt for others, and for
  /// a second process that claims the same rank.
  std::optional<OTF2_CommRef> communicator(std::uint32_t number, TrackId track);
  /// Call after all events: adds empty locations for ranks without recorded events, and one if there are no
  /// locations, because readers expect one. Returns the added locations.
  std::vector<OTF2_LocationRef> add_empty_locations();
  void write(OTF2_GlobalDefWriter* writer, const Recorded& recorded, std::int64_t first_ns,
             std::int64_t last_ns, std::int64_t origin_ns);

  /// Numbers of the locations with files.
  [[nodiscard]] std::vector<OTF2_LocationRef> locations() const;

 private:
  struct Region {
    OTF2_StringRef name{0};
    std::uint8_t kind{0};
    OTF2_RegionRole role{OTF2_REGION_ROLE_UNKNOWN};
  };
  void write_text(OTF2_StringRef number, const std::string& text);
  void write_tracks(OTF2_GlobalDefWriter* writer);
  void write_empty_locations(OTF2_GlobalDefWriter* writer);
  void write_ranks(OTF2_GlobalDefWriter* writer);
  void write_regions(OTF2_GlobalDefWriter* writer);
  void write_communicators(OTF2_GlobalDefWriter* writer);
  OTF2_GroupRef write_group(OTF2_GlobalDefWriter* writer, const std::vector<std::uint32_t>& ranks);

  const PlanNames* names_;
  JobCommunicators communicators_;
  std::unordered_map<std::string, OTF2_StringRef> texts_;
  std::vector<std::string> text_list_;     // texts that are not written yet
  OTF2_GlobalDefWriter* writer_{nullptr};  // while definitions are written
  std::map<std::pair<std::string, std::uint8_t>, OTF2_RegionRef> region_of_;
  std::vector<Region> regions_;
  std::map<std::pair<std::string, OTF2_Type>, OTF2_AttributeRef> attributes_;
  std::vector<std::pair<std::string, OTF2_Type>> attribute_list_;
  std::vector<Track> tracks_;
  std::unordered_map<TrackId, std::uint64_t> events_;
  std::map<std::uint32_t, std::pair<std::uint32_t, TrackId>> rank_;  // process and first track of a rank
  std::map<std::uint32_t, OTF2_CommRef> used_;                       // communicators
  std::map<std::uint32_t, std::uint64_t> places_;                    // of ranks among the locations of MPI
  std::vector<std::uint64_t> rank_locations_;
  std::vector<std::pair<OTF2_LocationRef, std::string>> empty_;
  OTF2_GroupRef next_group_{0};
  OTF2_LocationGroupRef next_process_{0};
};

}  // namespace eventspace::exports
