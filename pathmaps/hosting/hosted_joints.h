#pragma once

#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "pathmaps/plan/plan.h"
#include "paths/joints/joint.h"
#include "paths/server/server.h"

namespace eventspace {

/// Owns the joints that the plan places in one process, or on the tuple server of one node. The paths to the
/// joints are made elsewhere (PathAssembly).
///
/// Joints below a root have an uplink, which needs links:
/// - On the server of a node they use the links of the server's loop, and the loop drives their operations.
/// The
///   caller must set this object as the server's attendant.
/// - In a process of the application each joint has its own links. The threads that wait at the joint drive
/// them.
///
/// make_end and close are thread-safe. The Attendant functions are called by the server's thread only.
class HostedJoints final : public Attendant {
 public:
  /// Makes `path`, the uplink of one of the joints, over `links`.
  using MakePath = std::function<std::unique_ptr<Stage>(PathIndex path, LinkPool& links)>;

  /// Makes the joints of `host`. `network`: for the links of joints in a process; null on the server of a
  /// node. `plan` and `network` must outlive this object. Throws ConfigurationError for an unknown way to
  /// combine.
  HostedJoints(const Plan& plan, const Host& host, Network* network, MakePath make_path);
  ~HostedJoints();
  HostedJoints(const HostedJoints&) = delete;
  HostedJoints& operator=(const HostedJoints&) = delete;

  /// Makes the last stage of `path`, at its joint. The stage must not outlive this object. Throws
  /// ConfigurationError if the path does not lead to a joint of this host.
  std::unique_ptr<Stage> make_end(PathIndex path);
  /// Ends current and later operations with Status::closed.
  void close();

  void begin(LinkPool& links, std::function<void()> call) override;
  void attend() override;
  [[nodiscard]] Deadline due() override;
  void end() override;

 private:
  [[nodiscard]] JointConfig config_of(const JointPlan& joint) const;
  [[nodiscard]] JointChild child_of(const CollectivePlan& collective, PathIndex path) const;
  void add_participants(const CollectivePlan& collective, PathIndex path,
                        std::vector<std::uint32_t>& participants) const;
  [[nodiscard]] Uplink uplink_of(PathIndex path);
  [[nodiscard]] Uplink uplink_of_loop(PathIndex path);

  const Plan* plan_;
  Network* network_;
  MakePath make_path_;
  LinkPool* loop_links_{nullptr};
  std::function<void()> call_;
  std::map<JointIndex, std::unique_ptr<Joint>> joints_;
  std::vector<Joint*> driven_;  // joints with an uplink, driven by the server's loop; empty in a process
};

}  // namespace eventspace
