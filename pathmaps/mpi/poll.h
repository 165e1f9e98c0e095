#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "collectors/mpi/mpi_record.h"
#include "collectors/mpi/mpi_recorder.h"
#include "pathmaps/mpi/requests.h"
#include "pathmaps/mpi/weak_mpi.h"

namespace eventspace::mpi {

/// The part of a Recording for a call that polls, such as MPI_Test: a program may repeat it without success.
/// The first poll at a place is recorded like another call; the ones after it only if they find something,
/// and are otherwise counted (MpiRecorder). A call that does not poll uses only is_one().
///
/// The functions are called in the order below. No function throws.
class Poll {
 public:
  /// The requests that the call tests, which belong to the program.
  void tests(std::span<const MPI_Request> requests) noexcept { tested_ = requests; }
  /// The call polls. `call` has everything that distinguishes it from other polls.
  void prepare(MpiRecorder& recorder, const MpiCallRecord& call) noexcept {
    kind_ = recorder.is_again(call) ? Kind::again : Kind::first;
  }
  [[nodiscard]] bool is_one() const noexcept { return kind_ != Kind::none; }
  [[nodiscard]] bool is_again() const noexcept { return kind_ == Kind::again; }
  void begin(MpiRecorder& recorder, const MpiCallRecord& call) const noexcept {
    is_again() ? recorder.begin_look() : recorder.begin_first_look(call);
  }

  void found() noexcept { has_found_ = true; }
  /// Returns whether the poll is only counted. Otherwise the caller records the end of the call.
  [[nodiscard]] bool is_only_counted(MpiRecorder& recorder, const MpiCallRecord& call) const noexcept {
    if (!is_again()) return false;
    if (has_found_) {
      recorder.show_look(call);
      return false;
    }
    add_tested_to(recorder.sought());
    if (recorder.end_look()) record_series(recorder);
    return true;
  }
  /// After the end of the call was recorded.
  void end(MpiRecorder& recorder, const MpiCallRecord& call) const noexcept {
    if (!is_one()) return;
    if (has_found_)
      recorder.forget_looks();
    else
      add_tested_to(recorder.remember_look(call));
  }

 private:
  enum class Kind : std::uint8_t { none, first, again };

  // An unsuccessful test does not change the handles.
  void add_tested_to(SoughtByMpi& sought) const noexcept {
    if (tested_.size() == 1) {
      sought.add(handle_of(tested_.front()));
    } else if (!tested_.empty()) {
      sought.add(tested_.size(), [this](std::size_t i) { return handle_of(tested_[i]); });
    }
  }
  [[gnu::noinline]] static void record_series(MpiRecorder& recorder) noexcept;

  std::span<const MPI_Request> tested_{};
  Kind kind_{Kind::none};
  bool has_found_{false};
};

}  // namespace eventspace::mpi
