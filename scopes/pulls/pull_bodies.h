#pragma once

// Private to scopes/.
// Pulls as bodies of messages:
//
//     request   [with_threads, look_back in ns]
//     reply     a view (scopes/pulls/view_codec.h); its records may have gone ahead in parts

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

/// The asking end of a remote part of a scope.
///
/// A pull that gets no answer names the part in View::missing; the next pull asks again for records that the
/// server read for it. A part that reads unread events is opened behind the last of its views that is known
/// to have arrived.
///
/// The reports of a view tell the clocks of their processes as they are read here.
class PullClient final : public TargetClient {
 public:
  /// Makes the spec with which a part that reads unread events is opened behind these positions.
  using SpecBehind = std::function<std::vector<std::byte>(const std::vector<ReadPosition>&)>;

  struct Config {
    Missing known_as;          ///< what a view says that lacks this part; cause and detail are filled in
    SpecBehind spec_behind{};  ///< null: the part keeps no read positions, and is opened with one spec
    std::vector<ReadPosition> begin{};  ///< behind which it begins the first time
  };
  explicit PullClient(Config config) : config_(std::move(config)), confirmed_(config_.begin) {}

  [[nodiscard]] std::optional<std::vector<std::byte>> spec() override;
  void confirm() override { confirmed_.take(arrived_); }
  void write_request(const Operation& operation, wire::Message& request) const override;
  [[nodiscard]] std::string read_reply(Operation& operation, const ReplyBody& reply) override;
  void fail(Operation& operation) override;

 private:
  Config config_;
  std::vector<ReadPosition> arrived_;  // of the last view that arrived here
  ReadPositions confirmed_;            // of the views that are known to have arrived at our parent
};

/// The serving end: takes Verb::pull only; `open` makes the stages.
[[nodiscard]] std::shared_ptr<const TargetKind> pull_kind(TargetFactory open);

/// Appends the body of a reply.
void write_view(const View& view, wire::Message& reply);
/// Reads it; its records stay in `message`, which keeps the body, as a block of the view. Null: they are
/// copied. Nothing when the body is not what it should be.
[[nodiscard]] std::optional<View> read_view(Bytes body, const std::shared_ptr<const void>& message = nullptr);

}  // namespace eventspace
