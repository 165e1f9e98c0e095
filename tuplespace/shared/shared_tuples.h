#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "tuplespace/shared/shared_element_layout.h"

namespace eventspace::shared_element {

/// The shared memory of an element holds impossible values. Thrown by SharedTuples and caught by
/// SharedElement.
struct Damage {
  const char* what;  ///< the fault, such as "its counts"
};

/// The tuples of a shared element during one change. It holds a copy of the current state on which the change
/// is prepared, and commit() makes the change current by a single store. Without commit() nothing has
/// happened, so a process may be killed between any two instructions. Whatever the memory contains, only
/// addresses inside it are accessed.
///
/// Used by the thread that holds the element's lock.
class SharedTuples {
 public:
  /// Throws Damage, as do the functions below that are not noexcept.
  SharedTuples(std::byte* memory, const Geometry& geometry, const Signature& signature);

  /// Completes the change of a lock holder that died. Call before anything else when the lock was orphaned;
  /// may be called any number of times.
  static void mend(std::byte* memory, const Geometry& geometry) noexcept;

  [[nodiscard]] Element::Counts counts() const;
  [[nodiscard]] std::uint64_t written() const noexcept { return ledger_.written; }

  struct Found {
    std::uint32_t row;
    std::uint64_t sequence;
    Tuple tuple;
  };
  /// The results of KeptTuples::find and find_number.
  [[nodiscard]] std::optional<Found> find(const Operation& fetch) const;
  [[nodiscard]] std::optional<Found> find_number(std::uint64_t sequence) const;
  /// Returns the number of discarded sequence numbers above `cursor`.
  [[nodiscard]] std::uint64_t discarded_after(std::uint64_t cursor) const;

  [[nodiscard]] bool has_room(std::uint64_t bytes) const noexcept;
  /// Appends a tuple for which there is room, and returns its sequence number.
  std::uint64_t append(Bytes encoded);
  /// Removes a tuple that find or find_number returned.
  void take(const Found& found);
  void discard_oldest();
  void drop_through(std::uint64_t sequence);
  void count_refusal() { ++changed_account().refused; }

  /// Makes the changes current. A change is at most one take(), or any number of the other functions.
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
  /// Bytes that may lie in two pieces, at the end and at the beginning of the arena.
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
  std::uint32_t active_;  // Control::active before the change
  Ledger ledger_;
  std::optional<Account> changed_account_;
  bool takes_between_{false};
  std::optional<DiscardHistory> changed_discards_;
};

}  // namespace eventspace::shared_element
