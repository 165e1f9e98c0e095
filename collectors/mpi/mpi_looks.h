#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "collectors/looks.h"
#include "collectors/mpi/mpi_record.h"
#include "collectors/mpi/mpi_requests.h"

namespace eventspace {

/// The objects that the calls at one place poll: the handles of the requests that were tested there since the
/// series began. Handles of the MPI library are kept as numbers; only the caller of add() can interpret them.
class SoughtByMpi {
 public:
  SoughtByMpi() = default;
  explicit SoughtByMpi(MpiClass of) noexcept : of_(of) {}

  /// `complete` means tests of requests. With `probe`, the record has the message that was probed for.
  [[nodiscard]] MpiClass of() const noexcept { return of_; }
  /// Adds a test of one request.
  void add(std::uintptr_t handle) noexcept {
    if (std::ranges::find(requests(), handle) != requests().end()) return;
    if (known_ < handles_.size())
      handles_[known_++] = handle;
    else
      not_known_ = 1;
  }
  /// Adds a test of `count` requests; `handle_at(I)` returns a handle. Only the first test of several
  /// requests is read completely. A later test with another first request or another count counts as a test
  /// of other requests.
  template <class HandleAt>
  void add(std::size_t count, const HandleAt& handle_at) noexcept {
    const std::uintptr_t first = handle_at(std::size_t{0});
    if (count_ == 0) {
      first_ = first;
      count_ = count;
      for (std::size_t i = 0; i < std::min(count, handles_.size()); ++i) add(handle_at(i));
      if (count > handles_.size()) not_known_ = static_cast<std::uint32_t>(count - handles_.size());
    } else if (first_ != first || count_ != count) {
      not_known_ = std::max(not_known_, 1U);
    }
  }
  [[nodiscard]] std::span<const std::uintptr_t> requests() const noexcept {
    return std::span(handles_).first(known_);
  }
  /// The least number of other requests that were tested.
  [[nodiscard]] std::uint32_t not_known() const noexcept { return not_known_; }

 private:
  MpiClass of_{MpiClass::complete};
  std::array<std::uintptr_t, mpi_parts::max_awaited> handles_{};
  std::size_t known_{0};
  std::uint32_t not_known_{0};
  std::uintptr_t first_{0};  // first handle of the first test of several, and its count
  std::size_t count_{0};
};

/// Calls of MPI_Test and its variants, and of MPI_Iprobe, that find nothing: classes `complete` and `probe`.
struct LooksOfMpi {
  using Record = MpiCallRecord;
  using Sought = SoughtByMpi;
  static bool is_of(const MpiCallRecord& look, const MpiCallRecord& call) noexcept {
    if (look.call != call.call || look.site != call.site) return false;
    return call.of == MpiClass::complete ||
           (look.word6() == call.word6() && look.communicator == call.communicator);
  }
  // Tests at one place may poll other requests each time.
  static MpiCallRecord look_of(const MpiCallRecord& call) noexcept {
    MpiCallRecord look;
    if (call.of != MpiClass::complete) look = call;
    look.call = call.call;
    look.site = call.site;
    look.of = MpiClass::look;
    look.calls = 0;
    return look;
  }
  static SoughtByMpi sought_by(const MpiCallRecord& call) noexcept { return SoughtByMpi(call.of); }
};
using MpiLooks = Looks<LooksOfMpi>;

}  // namespace eventspace
