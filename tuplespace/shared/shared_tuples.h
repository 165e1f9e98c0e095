#pragma once

// Private to tuplespace/.

#include <cstddef>
#include <cstdint>
#include <optional>

#include "tuplespace/shared/shared_element_layout.h"

namespace eventspace::shared_element {

/// What lies in shared memory makes no sense. Thrown by SharedTuples, never further than SharedElement.
struct Damage {
  const char* what;
};

/// The tuples of a shared element as one change finds and leaves them: a copy of what counts, on which the
/// change is prepared, and which commit() makes count by a single store. Without commit() nothing has
/// happened, so a process may be killed between any two instructions. Whatever lies in the memory, nothing
/// outside of it is read or written.
///
/// For whoever holds the element's lock.
class SharedTuples {
 public:
  /// Throws Damage.
  SharedTuples(std::byte* memory, const Geometry& geometry, const Signature& signature);

  /// Completes the change of a predecessor who died: to be called before anything else then. Any number of
  /// times.
  static void mend(std::byte* memory, const Geometry& geometry) noexcept;

  [[nodiscard]] Element::Counts counts() const;
  [[nodiscard]] std::uint64_t written() const noexcept { return ledger_.written; }

  struct Found {
    std::uint32_t row;
    std::uint64_t sequence;
    Tuple tuple;
  };
  /// What KeptTuples::find and find_number say.
  [[nodiscard]] std::optional<Found> find(const Operation& fetch) const;
  [[nodiscard]] std::optional<Found> find_number(std::uint64_t sequence) const;
  /// How many of the numbers after `cursor` were discarded.
  [[nodiscard]] std::uint64_t discarded_after(std::uint64_t cursor) const;

  [[nodiscard]] bool has_room(std::uint64_t bytes) const noexcept;
  /// Appends a tuple that there is room for; says its sequence number.
  std::uint64_t append(Bytes encoded);
  /// One tuple that find yielded.
  void take(const Found& found);
  void discard_oldest();
  void drop_through(std::uint64_t sequence);
  void count_refusal() { ++changed_account().refused; }

  /// At most one take, or any number of the others, before.
  void commit() noexcept;

 private:
  struct Kept {
    std::uint32_t number;
    std::uint64_t sequence;
    std::uint32_t position;
    std::uint32_t size;
    bool gone;
  };
  [[nodiscard]] Row& row(std::uint32_t number) const noexcept;
  [[nodiscard]] Kept kept(std::uint32_t number) const;
  /// Bytes that may lie half at the end and half at the beginning of the arena.
  struct Halves {
    Bytes first;
    Bytes second;
  };
  [[nodiscard]] Halves bytes_of(const Kept& kept) const noexcept;
  [[nodiscard]] Tuple tuple(const Kept& kept) const;
  [[nodiscard]] std::uint32_t first_after(std::uint64_t sequence) const;
  [[nodiscard]] std::uint32_t start_of(const Operation& fetch) const;
  [[nodiscard]] DiscardHistory older_discards() const;

  [[nodiscard]] Bytes part(std::uint32_t position, std::uint32_t size) const noexcept;
  void fill(std::uint32_t position, Bytes bytes) noexcept;
  void append(std::uint64_t sequence, const Halves& bytes);
  [[nodiscard]] std::uint32_t window() const noexcept { return ledger_.end - ledger_.first; }
  [[nodiscard]] std::uint32_t kept_count() const noexcept { return window() - account().gaps; }
  [[nodiscard]] const Account& account() const noexcept;
  Account& changed_account();
  void step_over_gone_at_front();
  void step_back_over_gone_at_end();
  void leave_gap();
  void remember_discard(std::uint64_t sequence);
  [[nodiscard]] bool reaches(std::uint64_t bytes) const;
  void close_gaps();

  std::byte* memory_;
  const Geometry& geometry_;
  const Signature& signature_;
  Head& head_;
  std::uint32_t active_;  // Control::active, as the change finds it
  Ledger ledger_;
  std::optional<Account> changed_account_;
  bool takes_between_{false};
  std::optional<DiscardHistory> changed_discards_;
};

}  // namespace eventspace::shared_element
