#pragma once

// The bodies of the messages of a pull:
//
//     request   [with_threads, with_usage, with_in_flight, look_back in ns]
//     reply     a view (scopes/pulls/view_codec.h); messages before it may hold records (record_parts.h)

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "paths/bodies/target_client.h"
#include "paths/bodies/target_kind.h"
#include "paths/views/read_positions.h"
#include "paths/views/view.h"

namespace eventspace {

/// The client of a part of a scope on a server.
///
/// If a pull is not answered, its view lists the part in View::missing, and the next pull requests again the
/// records that the server read for the lost one. A part that reads unread events is always opened at the
/// read positions of its last view that is known to have arrived.
///
/// The clock relations in a received view's reports are extended by the relation between the server's clock
/// and the local one, so they relate each process's clock to the local clock. Not thread-safe.
class PullClient final : public TargetClient {
 public:
  /// Makes the spec with which a part that reads unread events is opened at these read positions.
  using SpecBehind = std::function<std::vector<std::byte>(const std::vector<ReadPosition>&)>;

  struct Config {
    Missing known_as;  ///< the entry in View::missing if the part fails; cause and detail are filled in
    SpecBehind spec_behind{};  ///< null: the part does not have read positions, and its spec never changes
    std::vector<ReadPosition> begin{};  ///< read positions of the first open request
  };
  explicit PullClient(Config config) : config_(std::move(config)), confirmed_(config_.begin) {}

  [[nodiscard]] std::optional<std::vector<std::byte>> spec() override;
  void confirm() override { confirmed_.take(arrived_); }
  void write_request(const Operation& operation, wire::Message& request) const override;
  [[nodiscard]] std::string read_reply(Operation& operation, const ReplyBody& reply) override;
  void fail(Operation& operation) override;

 private:
  Config config_;
  std::vector<ReadPosition> arrived_;  // of the last view that arrived in this process
  ReadPositions confirmed_;            // of the views known to have arrived at the parent
};

/// Returns the target kind of parts of scopes. It takes Verb::pull only; `open` makes the stages.
[[nodiscard]] std::shared_ptr<const TargetKind> pull_kind(TargetFactory open);

}  // namespace eventspace
