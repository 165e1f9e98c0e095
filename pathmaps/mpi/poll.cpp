#include "pathmaps/mpi/poll.h"

#include <algorithm>
#include <array>

#include "collectors/mpi/mpi_looks.h"

namespace eventspace::mpi {
namespace {

// The message that a probe polls for, as a receive.
MpiCallRecord sought_by_probe(const MpiCallRecord& look) noexcept {
  MpiCallRecord receive = look;
  receive.of = MpiClass::receive;
  return receive;
}

}  // namespace

// Requests that other threads have since completed are left out.
void Poll::record_series(MpiRecorder& recorder) noexcept {
  std::array<MpiCallRecord, mpi_parts::max_awaited> awaited;
  std::size_t known = 0;
  std::uint32_t in_all = 0;
  const auto add = [&](const MpiCallRecord& one) {
    ++in_all;
    if (known < awaited.size()) awaited[known++] = one;
  };
  const auto add_all_at = [&](const MpiLooks::Place& place) {
    if (place.sought.of() == MpiClass::probe) return add(sought_by_probe(place.look));
    in_all += place.sought.of() == MpiClass::complete ? place.sought.not_known() : 1;
    for (const std::uintptr_t handle : place.sought.requests()) {
      MpiCallRecord made_by;
      if (all_requests().read(all_requests().find_handle(handle), made_by))
        add(made_by);
      else
        in_all += handle == handle_of(MPI_REQUEST_NULL) ? 0 : 1;
    }
  };
  if (recorder.is_long_series()) {
    std::ranges::for_each(recorder.looks().places(), add_all_at);
    in_all += recorder.looks().has_dropped() ? 1 : 0;
  }
  recorder.record_looks(std::span(awaited).first(known), in_all);
}

}  // namespace eventspace::mpi
