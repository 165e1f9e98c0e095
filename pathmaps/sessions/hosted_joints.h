#pragma once

// Private to pathmaps/.

#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "pathmaps/plan/plan.h"
#include "paths/joints/joint.h"
#include "paths/server/server.h"

namespace eventspace {

/// The joints that the plan places in one process or on the server of one node, without the paths to them.
///
/// On the server of a node, the joints below a root use the links of the server's loop, and the loop drives
/// their operations on: make this object the server's attendant. In a process of the application each of them
/// has links of its own, which the thread that waits at the joint uses.
class HostedJoints final : public Attendant {
 public:
  /// Makes path `path`, which is the uplink of one of the joints, with these links.
  using MakePath = std::function<std::unique_ptr<Stage>(PathIndex path, LinkPool& links)>;

  /// The joints of `host`. `network`: null on the server of a node. Plan and network must outlive it.
  HostedJoints(const Plan& plan, const Host& host, Network* network, MakePath make_path);
  ~HostedJoints();
  HostedJoints(const HostedJoints&) = delete;
  HostedJoints& operator=(const HostedJoints&) = delete;

  /// The end of path `path` at its joint. Throws ConfigurationError when the path leads to no joint here.
  std::unique_ptr<Stage> make_end(PathIndex path);
  /// Ends all operations under way, and each later one at once.
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
  std::vector<Joint*> driven_;  // those with an uplink, on the server of a node
};

}  // namespace eventspace
