#pragma once

// Private to pathmaps/.

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

/// Room for records that costs nothing until it is used.
template <std::size_t most>
union RecordRoom {
  RecordRoom() noexcept {}  // NOLINT(modernize-use-equals-default): leaves the records as they are
  std::array<MpiCallRecord, most> records;
};
static_assert(std::is_trivially_destructible_v<MpiCallRecord>);

/// What a Completion needs on the stack, for calls of at most `most` requests that are followed.
template <std::size_t most>
struct CompletionRoom {
  union {
    std::array<Requests::Followed, most> followed;
    std::array<MPI_Request, most> handles;  // of requests that are looked for later
  };
  RecordRoom<(most < mpi_parts::max_awaited ? most : mpi_parts::max_awaited)> awaited;
  CompletionRoom() noexcept {}  // NOLINT(modernize-use-equals-default): likewise
};

/// The part of a Recording that only calls with requests have: which ones they wait for, test or start, what
/// they have completed, and their removal from Requests.
///
/// Of more requests than there is room for, MPI_Waitall forgets the rest when it begins; other calls leave
/// them as they are, and their entries are replaced when MPI gives their handles to other requests.
///
/// Used in the order of the functions below, by wrappers only. None throws.
class Completion {
 public:
  static constexpr std::size_t max_followed = 256;
  static constexpr std::size_t max_statuses = max_followed;
  /// Whether the call blocks or starts operations, so that the requests are worth showing while it is in
  /// flight; or only looks whether they are complete.
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

  /// The statuses that the call is to fill: the program's, or the library's own ones, if the program ignores
  /// them and they say which messages have come.
  [[nodiscard]] MPI_Status* status_in(MPI_Status* of_program, MPI_Status& own) const noexcept;
  [[nodiscard]] MPI_Status* statuses_in(MPI_Status* of_program,
                                        std::span<MPI_Status, max_statuses> own) const noexcept;
  /// In the place of Recording::begin().
  void begin() noexcept;

  // Which requests the call has completed, with their statuses.
  void completed_one(int index, const MPI_Status* status) noexcept;
  void completed_some(int count, const int* indices, const MPI_Status* statuses) noexcept;
  void completed_all(const MPI_Status* statuses) noexcept;
  /// The request is freed, and was not completed.
  void removed() noexcept;
  /// In the place of Recording::end().
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
  [[nodiscard]] bool is_again() const noexcept { return recording_->look_ == Recording::Look::again; }

  Recording* recording_;
  std::span<MPI_Request> requests_;  // the program's
  std::span<Requests::Followed> followed_;
  std::span<MPI_Request> handles_;  // in place of followed_
  std::span<const MpiCallRecord> awaited_;
  std::uint32_t in_all_{0};
  Sort sort_;
  bool awaits_receive_{false};
  bool has_first_{false};  // the call's own record has a request that was completed
  std::size_t others_{0};
  std::uint32_t not_followed_{0};                    // requests beyond those
  MpiRequests::Rest rest_{};                         // receives that were completed and have no room
  RecordRoom<mpi_parts::max_completed> completed_;  // the others
};

}  // namespace eventspace::mpi
