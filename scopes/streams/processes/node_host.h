#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include <eventspace/streams.h>
#include "paths/bodies/target_kind.h"
#include "paths/server/server.h"
#include "scopes/streams/node.h"
#include "scopes/streams/processes/ancestry.h"

namespace eventspace::streams {

/// The node of a process that has children, in the loop of its server: children attach at its kind of target.
/// All functions are called by the server's thread.
class NodeHost final : public Attendant, private Waker {
 public:
  struct Place {
    std::string network;
    RankSet places{};  ///< ranks that back-ends can attach with
    RankSet below{};   ///< all ranks below this process: those that have lost their parents are adopted
    std::optional<AttachPoint> parent{};     ///< nullopt in a front-end
    std::string announced{};                 ///< where others attach to this process; empty in a front-end
    std::optional<std::uint32_t> process{};  ///< its number, if it is in the topology
  };
  /// `ended` is called when the network has ended for this process, or the parent refuses it.
  NodeHost(Part part, Place place, std::function<void()> ended);

  [[nodiscard]] std::shared_ptr<const TargetKind> kind();
  [[nodiscard]] StreamNode& node() noexcept { return node_; }
  /// The reason of the end, if the parent is the cause.
  [[nodiscard]] std::string fault() const { return parent_ ? parent_->fault() : std::string(); }

  void begin(LinkPool& links, std::function<void()> call) override;
  void attend() override;
  [[nodiscard]] Deadline due() override;
  void end() override;

 private:
  class Peer;  // a child
  friend class Peer;

  [[nodiscard]] std::unique_ptr<Stage> open(Bytes spec);
  [[nodiscard]] std::unique_ptr<Stage> open_internal(const RankSet& ranks, std::string endpoint);
  void require_adoptable(const RankSet& ranks) const;
  [[nodiscard]] bool may_adopt(const RankSet& ranks) const;
  [[nodiscard]] RankSet::Rank place_for(std::optional<RankSet::Rank> wanted);
  void wake() noexcept override;

  static constexpr std::chrono::seconds attach_within{30};

  StreamNode node_;
  Part part_;
  Place place_;
  std::function<void()> ended_;
  std::function<void()> call_;
  bool called_{false};  // since the last attend()
  std::map<RankSet::Rank, Peer*> attached_;
  std::unique_ptr<Ancestry> parent_;
};

}  // namespace eventspace::streams
