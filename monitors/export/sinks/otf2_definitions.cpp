#include "monitors/export/sinks/otf2_definitions.h"

#include <fmt/format.h>

#include <eventspace/error.h>
#include "collectors/event_record.h"
#include "collectors/mpi/mpi_record.h"
#include "collectors/probe_record.h"
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
      fmt::format("cannot write the OTF2 archive ({}): {}", what, OTF2_Error_GetDescription(code)));
}

OTF2_StringRef Otf2Definitions::text(std::string_view text) {
  const auto [known, is_new] =
      texts_.try_emplace(std::string(text), static_cast<OTF2_StringRef>(texts_.size()));
  if (!is_new) return known->second;
  if (writer_ == nullptr) {
    text_list_.push_back(escaped(text));
  } else {
    write_text(known->second, escaped(text));
  }
  return known->second;
}

void Otf2Definitions::write_text(OTF2_StringRef number, const std::string& text) {
  check_otf2(OTF2_GlobalDefWriter_WriteString(writer_, number, text.c_str()), "a text");
}

OTF2_RegionRef Otf2Definitions::region(const Slice& slice) {
  const auto [known, is_new] = region_of_.try_emplace({std::string(slice.name), slice.kind},
                                                      static_cast<OTF2_RegionRef>(regions_.size()));
  if (is_new) regions_.push_back({text(slice.name), slice.kind, role_of(slice)});
  return known->second;
}

OTF2_AttributeRef Otf2Definitions::attribute(std::string_view name, OTF2_Type type) {
  const std::pair key{std::string(name), type};
  const auto [known, is_new] =
      attributes_.try_emplace(key, static_cast<OTF2_AttributeRef>(attribute_list_.size()));
  if (is_new) attribute_list_.push_back(key);
  return known->second;
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
  for (const auto& [number, unused] : empty_) locations.push_back(number);
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
        processes.try_emplace({track.process, std::string(track.process_name)}, next_process_);
    next_process_ += is_new ? 1 : 0;
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
  for (std::size_t i = 0; i < attribute_list_.size(); ++i) {
    const auto& [name, type] = attribute_list_[i];
    check_otf2(OTF2_GlobalDefWriter_WriteAttribute(writer, static_cast<OTF2_AttributeRef>(i), text(name),
                                                   text(""), type),
               "an attribute");
  }
}

// A group has the places of its ranks in the list of all locations of MPI.
OTF2_GroupRef Otf2Definitions::write_group(OTF2_GlobalDefWriter* writer,
                                           const std::vector<std::uint32_t>& ranks) {
  std::vector<std::uint64_t> members;
  members.reserve(ranks.size());
  for (const std::uint32_t rank : ranks) members.push_back(places_.at(rank));
  check_otf2(OTF2_GlobalDefWriter_WriteGroup(writer, next_group_, text(""), OTF2_GROUP_TYPE_COMM_GROUP,
                                             OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE,
                                             static_cast<std::uint32_t>(members.size()), members.data()),
             "a group");
  return next_group_++;
}

void Otf2Definitions::write_empty_locations(OTF2_GlobalDefWriter* writer) {
  if (empty_.empty()) return;
  check_otf2(OTF2_GlobalDefWriter_WriteLocationGroup(writer, next_process_, text("not recorded"),
                                                     OTF2_LOCATION_GROUP_TYPE_PROCESS, 0,
                                                     OTF2_UNDEFINED_LOCATION_GROUP),
             "a process");
  for (const auto& [number, name] : empty_) {
    check_otf2(OTF2_GlobalDefWriter_WriteLocation(writer, number, text(name), OTF2_LOCATION_TYPE_CPU_THREAD,
                                                  0, next_process_),
               "a thread");
  }
}

std::vector<OTF2_LocationRef> Otf2Definitions::add_empty_locations() {
  for (const auto& [number, unused] : used_) {
    const JobCommunicators::Members& members = *communicators_.find(number);
    for (const std::uint32_t rank : members.group) places_[rank] = 0;
    for (const std::uint32_t rank : members.other_group) places_[rank] = 0;
  }
  std::vector<OTF2_LocationRef> empty;
  for (auto& [rank, place] : places_) {
    place = rank_locations_.size();
    const auto seen = rank_.find(rank);
    if (seen == rank_.end()) empty.push_back(tracks_.size() + 1 + empty.size());
    if (seen == rank_.end()) empty_.emplace_back(empty.back(), fmt::format("rank {}", rank));
    rank_locations_.push_back(seen == rank_.end() ? empty.back() : seen->second.second);
  }
  if (tracks_.empty() && empty.empty()) {
    empty.push_back(1);
    empty_.emplace_back(1, "nothing");
  }
  return empty;
}

void Otf2Definitions::write_ranks(OTF2_GlobalDefWriter* writer) {
  const auto count = static_cast<std::uint32_t>(rank_locations_.size());
  check_otf2(
      OTF2_GlobalDefWriter_WriteGroup(writer, next_group_++, text("MPI"), OTF2_GROUP_TYPE_COMM_LOCATIONS,
                                      OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, count, rank_locations_.data()),
      "the ranks");
}

void Otf2Definitions::write_communicators(OTF2_GlobalDefWriter* writer) {
  for (const auto& [number, comm] : used_) {
    const JobCommunicators::Members& members = *communicators_.find(number);
    const OTF2_StringRef name = text(names_->communicator_name(number));
    const OTF2_GroupRef group = write_group(writer, members.group);
    if (members.other_group.empty()) {
      check_otf2(
          OTF2_GlobalDefWriter_WriteComm(writer, comm, name, group, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE),
          "a communicator");
      continue;
    }
    const OTF2_GroupRef other = write_group(writer, members.other_group);
    check_otf2(OTF2_GlobalDefWriter_WriteInterComm(writer, comm, name, group, other, OTF2_UNDEFINED_COMM,
                                                   OTF2_COMM_FLAG_NONE),
               "a communicator");
  }
}

void Otf2Definitions::write(OTF2_GlobalDefWriter* writer, const Recorded& recorded, std::int64_t first_ns,
                            std::int64_t last_ns, std::int64_t origin_ns) {
  // A text must precede its references, because readers look it up at once.
  writer_ = writer;
  for (std::size_t i = 0; i < text_list_.size(); ++i)
    write_text(static_cast<OTF2_StringRef>(i), text_list_[i]);
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
  write_empty_locations(writer);
  write_regions(writer);
  if (used_.empty()) return;
  write_ranks(writer);
  write_communicators(writer);
}

}  // namespace eventspace::exports
