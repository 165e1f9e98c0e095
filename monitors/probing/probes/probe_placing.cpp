#include "monitors/probing/probes/probe_placing.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <thread>

#include <eventspace/error.h>
#include "collectors/clock.h"
#include "collectors/probe_record.h"
#include "monitors/probing/code/call_check.h"
#include "monitors/probing/measuring/measuring_code.h"
#include "monitors/probing/probes/record_mapping.h"
#include "monitors/probing/tracing/stopped_calls.h"

namespace eventspace {
namespace {

/// The bytes that a patch replaces; patch 0 is the entry, the others are the exits.
Bytes code_of(const PlannedProbe& planned, std::size_t patch) {
  return patch == 0 ? planned.code : planned.exits[patch - 1].code;
}

std::uint64_t address_of(const PlannedProbe& planned, std::size_t patch) {
  return patch == 0 ? planned.place : planned.exits[patch - 1].place;
}

std::uint64_t ticks_factor() {
  const Clock& clock = Clock::instance();
  if (!clock.uses_tsc())
    throw EnvironmentError(
        "probes cannot measure times: the clock is not the time stamp counter of the processor; run "
        "`eventspace doctor` for the reason. Calls can still be counted");
  constexpr int fraction_bits = 32;
  return static_cast<std::uint64_t>(std::ldexp(clock.calibration().ns_per_tick, fraction_bits));
}

std::uint64_t ticks_of(std::chrono::nanoseconds time) {
  return static_cast<std::uint64_t>(std::ldexp(static_cast<double>(time.count()), 32) /
                                    static_cast<double>(ticks_factor()));
}

std::uint64_t word_of_records(std::uint32_t name, bool has_exits) {
  const ProbeVerb verb = has_exits ? ProbeVerb::region : ProbeVerb::point;
  return record_words::kind(probe_kind, 0) | static_cast<std::uint64_t>(verb) << 12 |
         static_cast<std::uint64_t>(name) << 32;
}

}  // namespace

Placement ProbePlacing::place() {
  for (std::size_t i = 0; i < plan_.probes.size(); ++i) prepare(i);
  for (int attempt = 0; attempt < max_stops && has_waiting(); ++attempt) {
    if (attempt > 0) std::this_thread::sleep_for(pause_before_stop(attempt));
    // Read before the stop: a thread whose stack is not yet there, or has grown since, is treated as one that
    // may be anywhere.
    const auto mapped = mapped_ranges(pid_);
    while_stopped(pid_, done_.longest_stop,
                  [&](const StoppedProcess& stopped) { write_jumps(stopped, mapped); });
  }
  for (const Prepared& probe : prepared_)
    if (!probe.is_written)
      refuse(probe.place, "a thread did not leave the bytes that its probe would change");
  return std::move(done_);
}

bool ProbePlacing::has_waiting() const {
  return std::ranges::any_of(prepared_, [](const Prepared& probe) { return !probe.is_written; });
}

ProbePlacing::Area& ProbePlacing::area_for(const PlannedProbe& planned) {
  const std::size_t patches = 1 + planned.exits.size();
  for (Area& area : areas_) {
    const bool has_room = area.probes < ProbeArea::max_probes &&
                          area.header.count + patches <= ProbeArea::max_patches &&
                          area.code_used + patches * Trampoline::max_bytes <= ProbeArea::code_bytes;
    if (area.module.begin == planned.module.begin && has_room) return area;
  }
  areas_.push_back({planned.module,
                    make_area(memory_, planned.module, owner_, done_.kept, done_.longest_stop),
                    0,
                    0,
                    false,
                    {},
                    {},
                    {},
                    {}});
  return areas_.back();
}

/// Returns the address of the code in the process.
std::uint64_t ProbePlacing::put_code(Area& area, Bytes code) {
  const std::size_t end = area.code_used + code.size();
  if (end > ProbeArea::code_bytes)
    throw EnvironmentError("the code of the expressions does not fit into the memory of the probes");
  const std::uint64_t address = area.header.code + area.code_used;
  memory_.write(address, code);
  area.code_used =
      (end + ProbeArea::code_alignment - 1) / ProbeArea::code_alignment * ProbeArea::code_alignment;
  return address;
}

// Puts in the code that all probes of an area call, once.
void ProbePlacing::put_measuring_code(Area& area) {
  if (std::exchange(area.has_measuring_code, true)) return;
  const MeasuringCode measuring = measuring_code();
  const std::uint64_t at = put_code(area, measuring.code);
  area.entry.function = at + measuring.entry;
  area.exit.function = at + measuring.exit;
  const CompiledTask& task = plan_.task;
  if (task.when)
    (task.is_when_at_exit ? area.task.when_at_exit : area.task.when_at_entry) =
        put_code(area, task.when->code);
  for (std::size_t i = 0; i < task.values.size(); ++i)
    area.task.values[i] = put_code(area, task.values[i].code);
  area.task.real_values = task.real_values();
  constexpr std::uint32_t real_arguments = (1u << measuring::max_real_arguments) - 1;
  area.task.has_real_arguments = (task.places() >> measuring::real_argument0 & real_arguments) != 0 ? 1 : 0;
  area.task.has_real_result = task.places() >> measuring::real_result & 1;
  area.task.has_thread = task.places() >> measuring::thread & 1;
  area.task.value_count = static_cast<std::uint32_t>(task.values.size());
  area.task.every = task.every;
  area.task.has_exits = task.has_exits ? 1 : 0;
  area.task.ns_per_tick = task.has_exits || plan_.recorded ? ticks_factor() : 0;
  if (task.phase) area.task.phase_ticks = ticks_of(*task.phase);
  put_lets(area);
  // Calls of one region are nested in calls of another, so all regions use the slots and rings of the first.
  Area& first = areas_.front();
  area.task.threads = first.header.data + ProbeArea::data_bytes;
  if (!plan_.recorded) return;
  if (first.header.segment_inode == 0)
    map_records(memory_, *plan_.recorded, first.header, done_.longest_stop);
  done_.rings = area.task.rings = first.header.data + ProbeArea::rings_at;
  area.task.guard = guard_of(first.header);
}

void ProbePlacing::put_lets(Area& area) {
  const CompiledTask& task = plan_.task;
  if (task.variables.empty()) return;
  done_.variables = area.task.variables = areas_.front().header.data + ProbeArea::variables_at;
  for (const CompiledLet& let : task.lets)
    area.lets.push_back({put_code(area, let.code.code), let.variable,
                         let.adds ? std::uint8_t{1} : std::uint8_t{0},
                         let.is_at_exit ? std::uint8_t{1} : std::uint8_t{0},
                         task.variables[let.variable].is_real ? std::uint8_t{1} : std::uint8_t{0}, 0});
}

// Does everything except the jumps: threads do not reach this code before those are written.
void ProbePlacing::prepare(std::size_t place) {
  const PlannedProbe& planned = plan_.probes[place];
  if (!has_code_of_file(planned))
    return refuse(place, "its code differs from its file: it has a probe, or another tool has changed it");
  Area& area = area_for(planned);
  if (!is_counting()) put_measuring_code(area);
  const std::uint64_t data = area.header.data;
  const PlacedProbe placed{data + ProbeArea::counters_at + area.probes * ProbeCounters::bytes,
                           data + ProbeArea::measures_at + area.probes * ProbeArea::measures_bytes,
                           {}};
  done_.probes[place] = placed;
  area.task.number = static_cast<std::uint32_t>(place % ProbeArea::max_probes);
  area.task.returns_to = planned.is_call ? planned.place + CallPlace::bytes : 0;
  area.task.what = word_of_records(planned.name, plan_.task.has_exits);
  write_descriptor(area, planned, placed);
  Prepared prepared{place, {}};
  if (std::string why = prepare_patches(area, planned, prepared); !why.empty())
    return refuse(place, std::move(why));
  ++area.probes;
  prepared_.push_back(std::move(prepared));
}

bool ProbePlacing::has_code_of_file(const PlannedProbe& planned) const {
  for (std::size_t i = 0; i <= planned.exits.size(); ++i) {
    const Bytes code = code_of(planned, i);
    std::vector<std::byte> now(i == 0 ? std::min(code.size(), max_replaced_bytes) : code.size());
    memory_.read(address_of(planned, i), now);
    if (!std::equal(now.begin(), now.end(), code.begin())) return false;
  }
  return true;
}

void ProbePlacing::write_descriptor(const Area& area, const PlannedProbe& planned,
                                    const PlacedProbe& placed) const {
  if (is_counting()) return;
  measuring::Descriptor descriptor = area.task;
  descriptor.counters = placed.counters;
  descriptor.measures = placed.measures;
  for (std::size_t i = 0; i < area.lets.size(); ++i)
    if ((planned.lets >> i & 1) != 0) descriptor.lets[descriptor.let_count++] = area.lets[i];
  descriptor.has_lets_only = planned.has_lets_only ? 1 : 0;
  if (planned.has_lets_only) descriptor.has_exits = 0;
  memory_.write(area.header.data + ProbeArea::descriptors_at + area.probes * sizeof descriptor,
                std::as_bytes(std::span(&descriptor, 1)));
}

std::optional<Trampoline> ProbePlacing::trampoline_of(const Area& area, const PlannedProbe& planned,
                                                      std::size_t patch, std::uint64_t at) const {
  const std::uint64_t data = area.header.data;
  const Bytes code = code_of(planned, patch);
  const std::uint64_t place = address_of(planned, patch);
  const std::uint64_t counters = data + ProbeArea::counters_at + area.probes * ProbeCounters::bytes;
  if (is_counting())
    return planned.is_call && patch == 0 ? counting_call_trampoline(code, place, at, counters)
                                         : counting_trampoline(code, place, at, counters);
  const std::uint64_t descriptor =
      data + ProbeArea::descriptors_at + area.probes * sizeof(measuring::Descriptor);
  const ProbeCall entry{area.entry.function, descriptor};
  const ProbeCall exit{area.exit.function, descriptor};
  if (patch == 0)
    return planned.is_call ? call_trampoline(code, place, at, entry)
                           : entry_trampoline(code, place, at, entry);
  // At the return address of a call, the function has been left already.
  return planned.is_call ? entry_trampoline(code, place, at, exit)
                         : exit_trampoline(code, place, planned.exits[patch - 1].leaving, at, exit);
}

// Functions and calls are checked independently, so the bytes after a call may also be an exit.
bool ProbePlacing::is_taken(std::uint64_t begin, std::uint64_t end) const {
  const auto next = taken_.upper_bound(begin);
  return next != taken_.end() && next->second < end;
}

std::string ProbePlacing::prepare_patches(Area& area, const PlannedProbe& planned, Prepared& prepared) {
  struct Made {
    Patch patch;
    std::uint64_t trampoline;
    Bytes original;
  };
  std::vector<Made> made;
  for (std::size_t i = 0; i <= planned.exits.size(); ++i) {
    const std::uint64_t at = area.header.code + area.code_used;
    const auto trampoline = trampoline_of(area, planned, i, at);
    const auto jump = patch_code(code_of(planned, i), address_of(planned, i), at);
    if (!trampoline || !jump) return "its instructions cannot be moved";
    if (is_taken(address_of(planned, i), address_of(planned, i) + trampoline->replaced))
      return "its bytes contain another probe of this command";
    put_code(area, trampoline->code);
    made.push_back({{address_of(planned, i), trampoline->replaced, *jump}, at, code_of(planned, i)});
  }
  for (const Made& one : made) {
    ProbeArea::Entry entry;
    entry.address = one.patch.address;
    entry.trampoline = one.trampoline;
    entry.is_exit = prepared.patches.empty() ? 0 : 1;
    entry.place = static_cast<std::uint16_t>(area.header.count);
    entry.probe = static_cast<std::uint32_t>(area.probes);
    std::memcpy(entry.original, one.original.data(), probe_jump_bytes);
    put_in_journal(area, entry);
    prepared.patches.push_back(one.patch);
    taken_.emplace(one.patch.address + one.patch.replaced, one.patch.address);
  }
  return {};
}

void ProbePlacing::put_in_journal(Area& area, const ProbeArea::Entry& entry) {
  memory_.write(area.header.data + ProbeArea::header_bytes + area.header.count * ProbeArea::entry_bytes,
                std::as_bytes(std::span(&entry, 1)));
  ++area.header.count;  // incremented after the entry is written: the journal never has an incomplete entry
  memory_.write(area.header.data, std::as_bytes(std::span(&area.header, 1)));
}

void ProbePlacing::write_jumps(const StoppedProcess& stopped, const std::vector<MappedRange>& mapped) {
  constexpr std::size_t max_at_a_time = 64;  // limits how long the threads are stopped
  std::vector<Prepared*> waiting;
  std::vector<AddressRange> insides;
  // When the jumps are written, no thread may be between the instructions that they replace. It may be at the
  // first one.
  const auto inside = [](const Prepared& probe) {
    std::vector<AddressRange> ranges;
    for (const Patch& patch : probe.patches)
      ranges.push_back({patch.address + 1, patch.address + patch.replaced});
    return ranges;
  };
  for (Prepared& probe : prepared_) {
    if (probe.is_written || (!waiting.empty() && insides.size() + probe.patches.size() > max_at_a_time))
      continue;
    waiting.push_back(&probe);
    for (const AddressRange& range : inside(probe)) insides.push_back(range);
  }
  const bool is_any_in = stopped.is_in(insides, memory_, mapped);
  for (Prepared* const probe : waiting) {
    if (is_any_in && stopped.is_in(inside(*probe), memory_, mapped)) continue;
    // Entry and exits are patched together, so a call passes both or neither.
    for (const Patch& patch : probe->patches) memory_.write(patch.address, patch.jump);
    probe->is_written = true;
  }
}

}  // namespace eventspace
