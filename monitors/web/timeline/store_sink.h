#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "monitors/export/reading/model.h"
#include "monitors/web/timeline/operation_store.h"

namespace eventspace::web {

/// Fills an OperationStore with what exports get of a recording, so that a timeline has the same operations,
/// messages and gaps as an export to Perfetto. Used by one thread.
class StoreSink final : public exports::Sink {
 public:
  explicit StoreSink(const OperationStore::Limits& limits = {}) : limits_(limits) {}

  void begin(const exports::Recorded& recorded) override;
  using Sink::add;
  void add(const exports::Track& track) override;
  void add(const exports::Slice& slice) override;
  void add(const exports::LostEvents& lost) override;
  void end(const exports::Totals& totals) override;

  /// The store, once the recording has been read to its end.
  [[nodiscard]] std::shared_ptr<const OperationStore> store() const noexcept { return store_; }
  [[nodiscard]] const exports::Totals& totals() const noexcept { return totals_; }
  /// When recording began, since the origin of the store: events of before were still in memory then.
  [[nodiscard]] std::int64_t recording_began() const noexcept { return began_ns_ - store_->origin_ns(); }
  [[nodiscard]] std::int64_t realtime_ns() const noexcept { return realtime_ns_; }

 private:
  /// One end of a message whose other end has not come.
  struct Waiting {
    std::uint32_t row{0};
    std::int64_t time{0};
    bool receives{false};
    bool certain{true};
    bool is_matched{false};
  };
  OperationStore& store_from(std::int64_t first_ns);
  void add_messages(const exports::Slice& slice, std::uint32_t row);
  void add_message(Waiting& send, const Waiting& receive);
  void drop_ends();
  void add_participation(const exports::Slice& slice, std::uint32_t row);

  OperationStore::Limits limits_;
  std::unordered_map<std::uint32_t, std::uint32_t> collectives_;  // by path of a thread
  std::shared_ptr<OperationStore> store_;
  std::vector<exports::Track> waiting_rows_;  // that come before the first time is known
  std::int64_t began_ns_{0};
  std::int64_t ended_ns_{0};
  std::int64_t realtime_ns_{0};
  std::unordered_map<std::uint64_t, std::vector<Waiting>> ends_;  // by message
  exports::Totals totals_;
};

}  // namespace eventspace::web
