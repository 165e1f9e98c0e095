#include "monitors/export/otf2_definitions.h"

#include <fmt/format.h>

#include <limits>

#include "collectors/event_record.h"
#include "collectors/mpi/mpi_record.h"
#include "collectors/probe_record.h"
#include "tuplespace/system/error.h"
#include "tuplespace/system/plain_text.h"
#include "tuplespace/system/saturating.h"

namespace eventspace::exports {
namespace {

OTF2_RegionRole role_of(const Slice& slice) {
  if (slice.kind == probe_kind) return OTF2_REGION_ROLE_CODE;
  if (slice.kind == operation_kind) return OTF2_REGION_ROLE_DATA_TRANSFER;
  if (slice.kind != mpi_kind) return OTF2_REGION_ROLE_UNKNOWN;
  switch (mpi_call_of(slice.event.record).of) {
    case MpiClass::send:
    case MpiClass::receive:
      return OTF2_REGION_ROLE_POINT2POINT;
    case MpiClass::collective:
      return OTF2_REGION_ROLE_COLL_OTHER;
    default:
      return OTF2_REGION_ROLE_FUNCTION;
  }
}

OTF2_Paradigm paradigm_of(std::uint8_t kind) {
  if (kind == mpi_kind) return OTF2_PARADIGM_MPI;
  return kind == probe_kind ? OTF2_PARADIGM_USER : OTF2_PARADIGM_UNKNOWN;
}

}  // namespace

void check_otf2(OTF2_ErrorCode code, const char* what) {
  if (code == OTF2_SUCCESS) return;
  throw EnvironmentError(
      fmt::format("cannot write the archive of OTF2 ({}): {}", what, OTF2_Error_GetDescription(code)));
}

OTF2_StringRef Otf2Definitions::text(std::string_view text) {
  const auto [known, is_new] =
      texts_.try_emplace(std::string(text), static_cast<OTF2_StringRef>(text_list_.size()));
  if (is_new) text_list_.push_back(escaped(text));
  return known->second;
}

OTF2_RegionRef Otf2Definitions::region(const Slice& slice) {
  const auto [known, is_new] = region_of_.try_emplace({std::string(slice.name), slice.kind},
                                                      static_cast<OTF2_RegionRef>(regions_.size()));
  if (is_new) regions_.push_back({text(slice.name), slice.kind, role_of(slice)});
  return known->second;
}

OTF2_AttributeRef Otf2Definitions::attribute(std::string_view name, OTF2_Type type) {
  return attributes_
      .try_emplace({std::string(name), type}, static_cast<OTF2_AttributeRef>(attributes_.size()))
      .first->second;
}

void Otf2Definitions::add(const Track& track) {
  tracks_.push_back(track);
  if (track.rank && track.lane == 0) rank_.try_emplace(*track.rank, track.process, track.id);
}

std::optional<OTF2_CommRef> Otf2Definitions::communicator(std::uint32_t number, TrackId track) {
  const Track& of = tracks_.at(track - 1);
  const auto rank = of.rank ? rank_.find(*of.rank) : rank_.end();
  if (rank == rank_.end() || rank->second.first != of.process) return std::nullopt;
  if (communicators_.find(number) == nullptr) return std::nullopt;
  return used_.try_emplace(number, static_cast<OTF2_CommRef>(used_.size())).first->second;
}

std::vector<OTF2_LocationRef> Otf2Definitions::locations() const {
  std::vector<OTF2_LocationRef> locations;
  for (const Track& track : tracks_) locations.push_back(track.id);
  return locations;
}

void Otf2Definitions::write_tracks(OTF2_GlobalDefWriter* writer) {
  check_otf2(OTF2_GlobalDefWriter_WriteSystemTreeNode(writer, 0, text("session"), text("session"),
                                                      OTF2_UNDEFINED_SYSTEM_TREE_NODE),
             "the tree");
  std::map<std::string, OTF2_SystemTreeNodeRef> nodes;
  std::map<std::pair<std::uint32_t, std::string>, OTF2_LocationGroupRef> processes;
  for (const Track& track : tracks_) {
    const auto [node, is_new_node] =
        nodes.try_emplace(std::string(track.node), static_cast<OTF2_SystemTreeNodeRef>(nodes.size() + 1));
    if (is_new_node)
      check_otf2(
          OTF2_GlobalDefWriter_WriteSystemTreeNode(writer, node->second, text(track.node), text("node"), 0),
          "a node");
    const auto [process, is_new] =
        processes.try_emplace({track.process, std::string(track.process_name)},
                              static_cast<OTF2_LocationGroupRef>(processes.size()));
    if (is_new)
      check_otf2(OTF2_GlobalDefWriter_WriteLocationGroup(writer, process->second, text(track.process_name),
                                                         OTF2_LOCATION_GROUP_TYPE_PROCESS, node->second,
                                                         OTF2_UNDEFINED_LOCATION_GROUP),
                 "a process");
    const std::string name =
        track.lane == 0 ? std::string(track.thread) : fmt::format("{} ({})", track.thread, track.lane + 1);
    check_otf2(OTF2_GlobalDefWriter_WriteLocation(writer, track.id, text(name), OTF2_LOCATION_TYPE_CPU_THREAD,
                                                  events_[track.id], process->second),
               "a thread");
  }
}

void Otf2Definitions::write_regions(OTF2_GlobalDefWriter* writer) {
  for (std::size_t i = 0; i < regions_.size(); ++i) {
    const Region& region = regions_[i];
    check_otf2(OTF2_GlobalDefWriter_WriteRegion(writer, static_cast<OTF2_RegionRef>(i), region.name,
                                                region.name, text(""), region.role, paradigm_of(region.kind),
                                                OTF2_REGION_FLAG_NONE, OTF2_UNDEFINED_STRING, 0, 0),
               "a region");
  }
  for (const auto& [attribute, number] : attributes_) {
    check_otf2(OTF2_GlobalDefWriter_WriteAttribute(writer, number, text(attribute.first), text(""),
                                                   attribute.second),
               "an attribute");
  }
}

// A group has the places of its ranks in the list of all locations of MPI.
OTF2_GroupRef Otf2Definitions::write_group(OTF2_GlobalDefWriter* writer,
                                           const std::vector<std::uint32_t>& ranks) {
  std::vector<std::uint64_t> members;
  for (const std::uint32_t rank : ranks) members.push_back(places_.at(rank));
  check_otf2(OTF2_GlobalDefWriter_WriteGroup(writer, next_group_, text(""), OTF2_GROUP_TYPE_COMM_GROUP,
                                             OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE,
                                             static_cast<std::uint32_t>(members.size()), members.data()),
             "a group");
  return next_group_++;
}

// Ranks of which nothing was recorded have no location: they are given one without events.
void Otf2Definitions::write_communicators(OTF2_GlobalDefWriter* writer) {
  if (used_.empty()) return;
  for (const auto& [number, unused] : used_) {
    const JobCommunicators::Members& members = *communicators_.find(number);
    for (const std::uint32_t rank : members.group) places_[rank] = 0;
    for (const std::uint32_t rank : members.other_group) places_[rank] = 0;
  }
  std::vector<std::uint64_t> locations;
  auto next_location = static_cast<OTF2_LocationRef>(tracks_.size() + 1);
  const OTF2_LocationGroupRef unseen = std::numeric_limits<OTF2_LocationGroupRef>::max() - 1;
  for (auto& [rank, place] : places_) {
    place = locations.size();
    const auto seen = rank_.find(rank);
    locations.push_back(seen == rank_.end() ? next_location++ : seen->second.second);
    if (seen != rank_.end()) continue;
    if (next_location == tracks_.size() + 2)
      check_otf2(OTF2_GlobalDefWriter_WriteLocationGroup(writer, unseen, text("not recorded"),
                                                         OTF2_LOCATION_GROUP_TYPE_PROCESS, 0,
                                                         OTF2_UNDEFINED_LOCATION_GROUP),
                 "a process");
    check_otf2(
        OTF2_GlobalDefWriter_WriteLocation(writer, locations.back(), text(fmt::format("rank {}", rank)),
                                           OTF2_LOCATION_TYPE_CPU_THREAD, 0, unseen),
        "a rank");
  }
  check_otf2(OTF2_GlobalDefWriter_WriteGroup(
                 writer, next_group_++, text("MPI"), OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI,
                 OTF2_GROUP_FLAG_NONE, static_cast<std::uint32_t>(locations.size()), locations.data()),
             "the ranks");
  for (const auto& [number, comm] : used_) {
    const JobCommunicators::Members& members = *communicators_.find(number);
    const OTF2_StringRef name = text(names_->communicator_name(number));
    const OTF2_GroupRef group = write_group(writer, members.group);
    if (members.other_group.empty()) {
      check_otf2(
          OTF2_GlobalDefWriter_WriteComm(writer, comm, name, group, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE),
          "a communicator");
    } else {
      check_otf2(OTF2_GlobalDefWriter_WriteInterComm(writer, comm, name, group,
                                                     write_group(writer, members.other_group),
                                                     OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE),
                 "a communicator");
    }
  }
}

void Otf2Definitions::write(OTF2_GlobalDefWriter* writer, const Recorded& recorded, std::int64_t first_ns,
                            std::int64_t last_ns, std::int64_t origin_ns) {
  const auto offset = static_cast<std::uint64_t>(saturating::subtract(first_ns, origin_ns));
  check_otf2(OTF2_GlobalDefWriter_WriteClockProperties(
                 writer, 1'000'000'000, offset, static_cast<std::uint64_t>(last_ns - first_ns) + 1,
                 static_cast<std::uint64_t>(saturating::add(first_ns, recorded.realtime_ns))),
             "the clock");
  if (!used_.empty())
    check_otf2(OTF2_GlobalDefWriter_WriteParadigm(writer, OTF2_PARADIGM_MPI, text("MPI"),
                                                  OTF2_PARADIGM_CLASS_PROCESS),
               "a paradigm");
  write_tracks(writer);
  write_regions(writer);
  write_communicators(writer);
  for (std::size_t i = 0; i < text_list_.size(); ++i) {
    check_otf2(
        OTF2_GlobalDefWriter_WriteString(writer, static_cast<OTF2_StringRef>(i), text_list_[i].c_str()),
        "a text");
  }
}

}  // namespace eventspace::exports
