#pragma once

#include <cstdint>
#include <span>

#include "scopes/tree/local_ids.h"
#include "tuplespace/trace/trace_element.h"

namespace eventspace {

/// Replaces the process-local ids of a dynamic process by numbers of the range that its reader gave it, in
/// records, names and trace elements alike. So two dynamic processes can never be mistaken for each other.
///
/// The process is not trusted: a number that is not one of its process-local ids becomes `no_number`, so it
/// cannot pretend to be a thread of the plan or of another process. Numbers of the classes `names` of the
/// vocabulary, such as numbers of probes, mean the same in all processes and stay as they are.
///
/// A plain value; all functions are thread-safe.
class LocalNumbering {
 public:
  /// Not the number of any thread, path or trace element.
  static constexpr std::uint32_t no_number = ~std::uint32_t{0};

  /// `process` is the number that the reader gave to the process, at most dynamic_process.
  explicit LocalNumbering(std::uint32_t process) noexcept
      : first_(local_ids_of(process).value_or(no_number)) {}

  /// The number in the scope for `number` of the process.
  [[nodiscard]] std::uint32_t operator()(std::uint32_t number) const noexcept {
    constexpr std::uint32_t own = *local_ids_of(dynamic_process);
    return number - own < local_ids_per_process ? first_ + (number - own) : no_number;
  }
  /// Replaces the numbers of threads and paths in records, in the header and in the fields of their kind. The
  /// number for "absent" of a field stays.
  void apply(std::span<TraceTuple> records) const noexcept;

 private:
  std::uint32_t first_;
};

}  // namespace eventspace
