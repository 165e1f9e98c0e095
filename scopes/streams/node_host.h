#pragma once

// Private to scopes/.

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "paths/bodies/target_kind.h"
#include "paths/remote/remote_stage.h"
#include "paths/server/server.h"
#include "scopes/streams/attaching/attach_point.h"
#include "scopes/streams/node.h"

namespace eventspace::streams {

/// What the name of the kind of target is, at which children attach.
inline constexpr std::string_view target_name = "stream";

/// What a child says when it attaches.
[[nodiscard]] std::vector<std::byte> encode_spec(const AttachPoint& point, Part part);

/// The link of a process to its parent.
class ParentLink final : public PushReceiver {
 public:
  /// `news` is called after each message and at the end.
  ParentLink(StreamNode& node, LinkPool& links, const AttachPoint& point, Part part,
             std::function<void()> news);

  /// Begins to attach; `waker` is called when is_done() may be true.
  void begin(Waker* waker, Deadline deadline);
  /// Whether attaching has ended; does not block.
  [[nodiscard]] bool is_done();
  /// Blocks until attaching has ended.
  void finish();
  /// Why attaching failed, or the connection was lost; empty while it stands.
  [[nodiscard]] const std::string& fault() const noexcept { return fault_; }

  void receive(Bytes body) override;
  void granted() override;
  void ended() override;

 private:
  void conclude();

  StreamNode* node_;
  std::function<void()> news_;
  Operation operation_;
  bool under_way_{false};
  std::string fault_;
  RemoteStage stage_;
};

/// The node of a process that has children, in the loop of its server: children attach at its kind of target.
/// All functions are called by the server's thread.
class NodeHost final : public Attendant, private Waker {
 public:
  /// `places` are the ranks that back-ends can attach with. `parent` is empty in a front-end. `ended` is
  /// called when the parent is gone or refuses this process.
  NodeHost(Part part, std::string network, RankSet places, std::optional<AttachPoint> parent,
           std::function<void()> ended);

  [[nodiscard]] std::shared_ptr<const TargetKind> kind();
  [[nodiscard]] StreamNode& node() noexcept { return node_; }
  /// Why the process has ended, if the parent is the cause.
  [[nodiscard]] std::string fault() const { return parent_ ? parent_->fault() : std::string(); }

  void begin(LinkPool& links, std::function<void()> call) override;
  void attend() override;
  [[nodiscard]] Deadline due() override;
  void end() override;

 private:
  class Peer;  // a child
  friend class Peer;

  [[nodiscard]] std::unique_ptr<Stage> open(Bytes spec);
  [[nodiscard]] RankSet::Rank place_for(std::optional<RankSet::Rank> wanted);
  void wake() noexcept override;

  static constexpr std::chrono::seconds attach_within{30};

  StreamNode node_;
  Part part_;
  std::string network_;
  RankSet places_;
  std::optional<AttachPoint> parent_point_;
  std::function<void()> ended_;
  std::function<void()> call_;
  bool called_{false};  // since the last attend()
  bool attaching_{false};
  std::map<RankSet::Rank, Peer*> attached_;
  std::unique_ptr<ParentLink> parent_;
};

}  // namespace eventspace::streams
