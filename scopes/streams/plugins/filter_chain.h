#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <eventspace/stream_filter.h>
#include <eventspace/streams.h>

namespace eventspace::streams {

/// The filters that one process runs in one direction of a stream, one after the other: the filters of the
/// stream that select the process (FilterUse::processes). The first one sees the children of the process, the
/// others see a single child, 0. Not thread-safe.
class FilterChain {
 public:
  FilterChain() = default;
  /// Throws as make_any_filter does.
  FilterChain(const std::vector<FilterUse>& uses, const FilterPlace& place);

  [[nodiscard]] bool empty() const noexcept { return links_.empty(); }
  /// Whether each wave makes exactly one packet. False without filters: then packets are forwarded one by
  /// one.
  [[nodiscard]] bool keeps_waves() const noexcept { return keeps_waves_; }
  /// Runs the packets of a wave through all filters. Passes on exceptions of filters, and throws
  /// std::runtime_error if filters that keep waves make more or fewer packets than one.
  [[nodiscard]] std::vector<Packet> run(Wave wave);
  /// A child has joined, or its end-points have changed to these. Passes on exceptions of filters.
  void join(Child child, const RankSet& ranks);
  /// A child will send nothing more: returns packets that had only waited for it. Passes on exceptions of
  /// filters.
  [[nodiscard]] std::vector<Packet> leave(Child child);

  // The counters of each filter.
  [[nodiscard]] std::size_t size() const noexcept { return links_.size(); }
  [[nodiscard]] const std::string& name(std::size_t at) const { return links_[at].name; }
  [[nodiscard]] const FilterCounters& counters(std::size_t at) const { return links_[at].counters; }

 private:
  struct Link {
    std::string name;
    std::unique_ptr<Filter> filter;
    std::uint8_t number{0};  // Packet::made_by
    FilterCounters counters{};
  };

  [[nodiscard]] std::vector<Packet> run_from(std::size_t first, Wave wave);
  static void apply(Link& link, const Wave& wave, std::vector<Packet>& out);

  std::vector<Link> links_;
  bool keeps_waves_{false};
  std::map<Child, RankSet> children_;
};

}  // namespace eventspace::streams
