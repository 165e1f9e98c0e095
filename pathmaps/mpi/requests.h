#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <type_traits>

#include "collectors/mpi/mpi_record.h"
#include "pathmaps/mpi/weak_mpi.h"

namespace eventspace::mpi {

/// MPI's handles are pointers in Open MPI and numbers in MPICH.
template <class Handle>
std::uintptr_t handle_of(Handle handle) noexcept {
  if constexpr (std::is_pointer_v<Handle>) {
    return reinterpret_cast<std::uintptr_t>(handle);
  } else {
    return static_cast<std::uintptr_t>(static_cast<std::uint32_t>(handle));
  }
}

/// The pending requests of this process, and persistent requests until they are freed, each with the record
/// of the call that made it. Bounded: without room, the oldest of eight requests is forgotten. Handles that
/// MPI shares among requests that are complete when they are made are not kept.
///
/// Thread-safe; no function waits, allocates or calls other code. When MPI gives a handle to another request,
/// the first request has ended: the new entry replaces the old one, and a Followed of the first request finds
/// nothing.
///
/// Entries lie in buckets of eight by their handle; the handles of a bucket fill one cache line.
class Requests {
 public:
  static constexpr std::size_t buckets = 4096;
  static constexpr std::size_t in_bucket = 8;

  /// The result of a look-up. `number` is 0 if the request is not known.
  struct Followed {
    std::uint32_t place{0};
    std::uint32_t number{0};
    explicit operator bool() const noexcept { return number != 0; }
  };

  /// Only one thread at a time calls MPI, so from now on changes do without an atomic exchange.
  void expect_one_thread() noexcept { has_one_thread_.store(true, std::memory_order_relaxed); }
  [[nodiscard]] bool has_one_thread() const noexcept {
    return has_one_thread_.load(std::memory_order_relaxed);
  }
  /// A number for the next request; never 0.
  std::uint32_t next_number() noexcept;
  /// `made_by` has the class of the operation (send, receive or collective), not of the call; `number` comes
  /// from next_number().
  void add(MPI_Request request, std::uint32_t number, const MpiCallRecord& made_by,
           bool is_persistent) noexcept;
  [[nodiscard]] Followed find(MPI_Request request) const noexcept { return find_handle(handle_of(request)); }
  /// `handle` is handle_of() of a request.
  [[nodiscard]] Followed find_handle(std::uintptr_t handle) const noexcept;
  /// Reads an entry, with the request's number in MpiCallRecord::request. Returns false if it is gone.
  bool read(Followed request, MpiCallRecord& made_by) const noexcept;
  [[nodiscard]] bool is_persistent(Followed request) const noexcept;
  void remove(Followed request) noexcept;

 private:
  static constexpr std::uint32_t unused = 0;
  static constexpr std::uint32_t changing = ~std::uint32_t{0};
  static constexpr std::uint64_t persistent_bit = 1;  // of word 3, in place of the kind
  using Word = std::atomic<std::uint64_t>;
  struct alignas(64) Bucket {
    std::array<Word, in_bucket> handles{};
    std::array<std::atomic<std::uint32_t>, in_bucket> numbers{};
    std::array<std::array<Word, 4>, in_bucket> words{};  // 3, 5, 6 and 7 of the record
  };
  [[nodiscard]] static std::size_t home_of(std::uint64_t handle) noexcept;
  struct Place {
    std::size_t index{0};
    std::uint32_t before{unused};  ///< the number in the place now
    bool is_there{false};
  };
  [[nodiscard]] static Place place_for(const Bucket& bucket, std::uintptr_t handle,
                                       std::uint32_t number) noexcept;
  bool replace(std::atomic<std::uint32_t>& number, std::uint32_t before, std::uint32_t after) noexcept;

  std::array<Bucket, buckets> buckets_{};
  std::atomic<std::uint32_t> last_number_{0};
  std::atomic<bool> has_one_thread_{false};  // all members are initially 0 and take no space in the file
};

/// The requests of this process. Never destroyed: threads may call MPI while the process exits.
Requests& all_requests() noexcept;

}  // namespace eventspace::mpi
