#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "collectors/mpi/mpi_requests.h"
#include "pathmaps/mpi/recording.h"
#include "pathmaps/mpi/requests.h"
#include "pathmaps/mpi/weak_mpi.h"

namespace eventspace::mpi {

/// Uninitialized room for records.
template <std::size_t most>
union RecordRoom {
  RecordRoom() noexcept {}  // NOLINT(modernize-use-equals-default): leaves the records as they are
  std::array<MpiCallRecord, most> records;
};
static_assert(std::is_trivially_destructible_v<MpiCallRecord>);

/// The stack space of a Completion, for calls with at most `most` followed requests.
template <std::size_t most>
struct CompletionRoom {
  union {
    std::array<Requests::Followed, most> followed;
    std::array<MPI_Request, most> handles;  // of requests that are looked up later
  };
  RecordRoom<(most < mpi_parts::max_awaited ? most : mpi_parts::max_awaited)> awaited;
  CompletionRoom() noexcept {}  // NOLINT(modernize-use-equals-default): likewise
};

/// The part of a Recording for calls with requests: records which requests the call waits for, tests or
/// starts and which it has completed, and removes completed requests from Requests.
///
/// If there are more requests than room, MPI_Waitall forgets the rest when it begins. Other calls keep their
/// entries, which are replaced when MPI gives the handles to other requests.
///
/// Only wrappers use it; they call the functions in the order below. No function throws.
class Completion {
 public:
  static constexpr std::size_t max_followed = 256;
  static constexpr std::size_t max_statuses = max_followed;
  /// Whether the call blocks or starts operations, so its requests are shown while it is in flight (`waits`),
  /// or only polls whether they are complete (`looks`).
  enum Sort : std::uint8_t { waits, looks };

  template <std::size_t most>
  Completion(Recording& recording, CompletionRoom<most>& room, Sort sort, MPI_Request* requests,
             MPI_Count count) noexcept
      : Completion(recording, sort, requests, count) {
    if (sort == looks) recording.looks_for(requests_);
    if (finds_later(most)) {
      hold(room.handles, room.awaited.records);
    } else {
      follow(room.followed, room.awaited.records);
    }
  }

  /// The statuses for the call to fill: the program's, or the library's own if the program ignores them and
  /// they are needed to identify received messages.
  [[nodiscard]] MPI_Status* status_in(MPI_Status* of_program, MPI_Status& own) const noexcept;
  [[nodiscard]] MPI_Status* statuses_in(MPI_Status* of_program,
                                        std::span<MPI_Status, max_statuses> own) const noexcept;
  /// Replaces Recording::begin().
  void begin() noexcept;

  // Requests that the call has completed, with their statuses.
  void completed_one(int index, const MPI_Status* status) noexcept;
  void completed_some(int count, const int* indices, const MPI_Status* statuses) noexcept;
  void completed_all(const MPI_Status* statuses) noexcept;
  /// The request was freed without completion.
  void removed() noexcept;
  /// Replaces Recording::end().
  void end(int error) noexcept;

 private:
  Completion(Recording& recording, Sort sort, MPI_Request* requests, MPI_Count count) noexcept;
  [[nodiscard]] bool finds_later(std::size_t room) const noexcept;
  void hold(std::span<MPI_Request> handles, std::span<MpiCallRecord> awaited) noexcept;
  void follow(std::span<Requests::Followed> followed, std::span<MpiCallRecord> awaited) noexcept;
  void follow_one(std::size_t index, std::span<MpiCallRecord> awaited) noexcept;
  void show_first() noexcept;
  [[nodiscard]] std::size_t known() const noexcept { return std::max(followed_.size(), handles_.size()); }
  [[nodiscard]] Requests::Followed followed(std::size_t index) const noexcept;
  void forget_rest(std::size_t from) noexcept;
  void complete(int index, const MPI_Status* status, bool only_receives) noexcept;
  void add_completed(const MpiCallRecord& made_by) noexcept;
  void add_to_rest(const MpiCallRecord& made_by) noexcept;
  [[nodiscard]] bool is_again() const noexcept { return recording_->poll_.is_again(); }

  Recording* recording_;
  std::span<MPI_Request> requests_;  // the program's
  std::span<Requests::Followed> followed_;
  std::span<MPI_Request> handles_;  // instead of followed_
  std::span<const MpiCallRecord> awaited_;
  std::uint32_t in_all_{0};
  Sort sort_;
  bool awaits_receive_{false};
  bool has_first_{false};  // the call's own record has a completed request
  std::size_t others_{0};
  std::uint32_t not_followed_{0};                   // requests beyond `followed_`
  MpiRequests::Rest rest_{};                        // completed receives without room
  RecordRoom<mpi_parts::max_completed> completed_;  // the others
};

}  // namespace eventspace::mpi
