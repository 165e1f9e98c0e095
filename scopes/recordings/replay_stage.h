#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <eventspace/stage.h>
#include "collectors/record_header.h"
#include "scopes/reading/read_stage.h"
#include "scopes/recordings/replay.h"

namespace eventspace {

/// Reads from a recording the same data as a ReadStage reads from segments.
class ReplayStage final : public Stage {
 public:
  /// `tells_rest`: this stage of the scope yields the data without a source: losses and missing parts.
  /// `replay` must outlive it.
  ReplayStage(const ReadStage::Sources& sources, ReadMode mode, Replay& replay, bool tells_rest);

  void begin(Operation& operation) override;
  bool ready(Operation& /*operation*/) override { return true; }
  void finish(Operation& operation) override;

 private:
  [[nodiscard]] bool reads(const RecordHeader& record);
  [[nodiscard]] bool reads_source(const RecordHeader& record) const;
  [[nodiscard]] bool reads_process(std::uint32_t process) const;
  [[nodiscard]] std::optional<std::vector<std::uint32_t>> threads_of(const ReadStage::Sources& sources) const;
  void read_newest(Pull& pull);
  /// Events that ended after `since`, up to `until`. Events that ended before `kept_from` are counted as
  /// filtered.
  struct Interval {
    std::int64_t since{0};
    std::int64_t until{0};
    std::int64_t kept_from{0};
  };
  void read_unread(Pull& pull);
  void add_unread(std::size_t chunk, const Interval& in, Pull& pull);
  void add_events(std::size_t chunk, const View& view, const Interval& in, View& part);
  void add_processes(const View& view, View& part) const;
  void add_present(Pull& pull);
  [[nodiscard]] bool concerns(std::size_t chunk) const;

  ReadMode mode_;
  Replay* replay_;
  bool tells_rest_;
  ProcessRange dynamic_;
  std::set<SourceRef> sources_;
  std::unordered_set<std::uint32_t> processes_;
  std::unordered_set<std::uint32_t> threads_;        // threads whose probes are read
  std::unordered_set<std::uint32_t> first_threads_;  // processes whose dynamic threads are read
  std::optional<std::vector<std::uint32_t>>
      only_threads_;                               // the plan's threads to which reading is limited, rising
  bool or_own_threads_{false};                     // threads outside the plan are read, too
  std::unordered_map<std::uint64_t, bool> known_;  // results of reads_source, by path and point
  struct Position {
    std::int64_t until{std::numeric_limits<std::int64_t>::min()};  // events that ended until then were read
    bool has_begun{false};                                         // the first poll is over
  };
  Transacted<Position> position_;
  ReadTransaction transaction_;
};

}  // namespace eventspace
