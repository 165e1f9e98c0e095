#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <shared_mutex>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include "paths/views/view.h"

namespace eventspace {

/// The names that processes gave to numbers while they ran (OwnName). Names, and texts that find() returned,
/// live as long as the table. Thread-safe; a lookup waits at most for another thread's learn().
///
/// Two processes may give one number different names, because numbers of probes and communicators are derived
/// from their contents. The number is then called "A or B", so that no event gets a wrong name. If a probe's
/// values get two texts, the first is kept. If a thread, path, process, node or job gets two names, the last
/// one is kept: its number may be given to another process long after the first one has ended.
class NameTable {
 public:
  static constexpr std::size_t max_names = 1'000'000;
  static constexpr std::size_t max_bytes = std::size_t{64} << 20;  ///< of all names
  static constexpr std::size_t longest_name = 4096;                ///< bytes

  /// Adds names, up to max_names and max_bytes. Ignores names that are empty, too long or of an unknown
  /// kind, and makes the others plain text (made_plain), because names come from other processes and are
  /// shown on terminals.
  void learn(std::span<const OwnName> names);

  /// Returns the name of a number; empty if it is not known.
  [[nodiscard]] std::string_view find(OwnNameOf of, std::uint32_t number) const;

 private:
  void add(const OwnName& name);
  void forget_other(const OwnName& name);

  mutable std::shared_mutex mutex_;
  std::deque<std::string> texts_;                                  // including replaced ones
  std::size_t bytes_{0};                                           // size of texts_
  std::unordered_map<std::uint64_t, const std::string*> current_;  // by kind and number
};

}  // namespace eventspace
