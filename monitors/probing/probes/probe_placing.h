#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "monitors/probing/probes/new_area.h"
#include "monitors/probing/probes/process_probes.h"

namespace eventspace {

/// Puts the probes of a plan into a process: memory, code, journal, and finally the jumps, all jumps of a
/// function at once.
class ProbePlacing {
 public:
  /// `plan` must outlive the object.
  ProbePlacing(std::int32_t pid, const ProbesPlan& plan, const ProbeOwner& owner)
      : pid_(pid), plan_(plan), memory_(pid), owner_(owner) {
    done_.probes.resize(plan.probes.size());
  }

  /// To be called once. Throws EnvironmentError with the reason; the probes that were put in then have to be
  /// removed.
  Placement place();

 private:
  struct Patch {
    std::uint64_t address;
    std::size_t replaced;
    std::array<std::byte, probe_jump_bytes> jump;
  };
  /// A function whose probe is complete except for its jumps.
  struct Prepared {
    std::size_t place;  // index in the plan
    std::vector<Patch> patches;
    bool is_written{false};
  };
  struct Area {
    AddressRange module;
    ProbeArea::Header header;
    std::size_t probes{0};
    std::size_t code_used{0};
    bool has_measuring_code{false};
    ProbeCall entry;  // without descriptors
    ProbeCall exit;
    measuring::Descriptor task;  // the common part of all its descriptors
    std::vector<measuring::Let> lets;
  };

  void refuse(std::size_t place, std::string why) { done_.probes[place] = {0, 0, std::move(why)}; }
  [[nodiscard]] bool has_waiting() const;
  /// Whether the shortest code is sufficient.
  [[nodiscard]] bool is_counting() const noexcept { return plan_.task.is_counting && !plan_.recorded; }
  Area& area_for(const PlannedProbe& planned);
  std::uint64_t put_code(Area& area, Bytes code);
  void put_measuring_code(Area& area);
  void put_lets(Area& area);
  void prepare(std::size_t place);
  /// Returns the reason of a failure; empty on success.
  std::string prepare_patches(Area& area, const PlannedProbe& planned, Prepared& prepared);
  std::optional<Trampoline> trampoline_of(const Area& area, const PlannedProbe& planned, std::size_t patch,
                                          std::uint64_t at) const;
  bool has_code_of_file(const PlannedProbe& planned) const;
  /// Whether another patch of the plan replaces any of these bytes.
  bool is_taken(std::uint64_t begin, std::uint64_t end) const;
  void write_descriptor(const Area& area, const PlannedProbe& planned, const PlacedProbe& placed) const;
  void put_in_journal(Area& area, const ProbeArea::Entry& entry);
  void write_jumps(const StoppedProcess& stopped, const std::vector<MappedRange>& mapped);

  std::int32_t pid_;
  const ProbesPlan& plan_;
  ProcessMemory memory_;
  ProbeOwner owner_;
  std::deque<Area> areas_;
  std::vector<Prepared> prepared_;
  std::map<std::uint64_t, std::uint64_t> taken_;  // the bytes that each patch replaces: begin by end
  Placement done_;
};

}  // namespace eventspace
