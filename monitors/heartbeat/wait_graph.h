#pragma once

// Private to monitors/.

#include <cstddef>
#include <vector>

namespace eventspace {

/// Who waits for whom, by numbers from 0: who waits for several needs all of them. Pure. Not thread-safe.
class WaitGraph {
 public:
  explicit WaitGraph(std::size_t size) : awaited_(size), waiting_(size) {}

  [[nodiscard]] std::size_t size() const noexcept { return awaited_.size(); }
  /// Another one, which waits for nobody; its number.
  std::size_t add();
  void add_wait(std::size_t waiting, std::size_t awaited);

  [[nodiscard]] bool waits(std::size_t who) const { return !awaited_[who].empty(); }
  [[nodiscard]] bool is_awaited(std::size_t who) const { return !waiting_[who].empty(); }
  /// All that wait for it, directly or through others, itself included; ascending.
  [[nodiscard]] std::vector<std::size_t> all_waiting_for(std::size_t who) const;
  /// Those that wait for each other, so that none of them can go on; each of these groups ascending.
  [[nodiscard]] std::vector<std::vector<std::size_t>> circles() const;

 private:
  using Edges = std::vector<std::vector<std::size_t>>;
  static std::vector<bool> reached(const Edges& edges, std::size_t from);
  [[nodiscard]] std::vector<bool> never_end() const;

  Edges awaited_;  // by who waits
  Edges waiting_;  // by who is waited for
};

}  // namespace eventspace
