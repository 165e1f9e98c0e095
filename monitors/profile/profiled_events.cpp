#include "monitors/profile/profiled_events.h"

#include <algorithm>

#include "collectors/event_record.h"
#include "collectors/mpi/mpi_calls.h"
#include "collectors/mpi/mpi_record.h"
#include "collectors/probe_record.h"
#include "collectors/pvm/pvm_calls.h"

namespace eventspace {
namespace {

bool is_phase_call(const MpiCallRecord& call) {
  static const std::uint16_t number = [] {
    const auto names = mpi_call_names();
    return static_cast<std::uint16_t>(std::ranges::find(names, "MPI_Pcontrol") - names.begin());
  }();
  return call.call == number;
}

}  // namespace

std::optional<std::uint32_t> ProfiledEvents::region_of(const TraceTuple& record) noexcept {
  constexpr std::uint64_t verb_bits = 0xf;
  const RecordHeader header = header_of(record);
  if (header.kind != probe_kind || header.is_continuation()) return std::nullopt;
  const bool is_region =
      ((record.words[3] >> 12) & verb_bits) == static_cast<std::uint64_t>(ProbeVerb::region);
  return is_region ? std::optional(probe_name_of(record)) : std::nullopt;
}

std::uint32_t ProfiledEvents::calls_in(const TraceTuple& record) {
  const std::uint8_t kind = header_of(record).kind;
  if (kind == mpi_kind) return mpi_call_of(record).calls;
  return kind == pvm_kind ? pvm_call_of(record).calls : 1;
}

std::optional<std::uint32_t> ProfiledEvents::phase_begun_by(const TraceTuple& record) {
  if (header_of(record).kind != mpi_kind) return std::nullopt;
  const MpiCallRecord call = mpi_call_of(record);
  return is_phase_call(call) ? std::optional(call.tag) : std::nullopt;
}

void ProfiledEvents::choose_points(const View& view) {
  for (const TraceTuple& tuple : view.records) {
    const RecordHeader header = header_of(tuple);
    if (header.kind != operation_kind) continue;
    if (const auto known = points_.find(header.path); known != points_.end())
      known->second = std::min(known->second, header.point);
    else if (points_.size() < max_profile_entries)
      points_.emplace(header.path, header.point);
  }
}

bool ProfiledEvents::is_call(const RecordHeader& header) {
  if (header.in_flight() || header.is_continuation()) return false;
  if (header.kind == mpi_kind || header.kind == pvm_kind) return true;
  if (header.kind != operation_kind) return false;
  const auto known = points_.find(header.path);
  if (known == points_.end()) ++left_out_;
  return known != points_.end() && known->second == header.point;
}

}  // namespace eventspace
