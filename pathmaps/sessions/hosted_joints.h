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
/// On the server of a node those that are not the root use the links of the server's loop, which goes on with
/// what they have under way: make it the server's attendant. In a process of the application each has links
/// of its own, which whoever waits at the joint uses.
class HostedJoints final : public Attendant {
 public:
  /// Makes path `path`, the uplink of one of the joints, with these links.
  using MakePath = std::function<std::unique_ptr<Stage>(std::size_t path, LinkPool& links)>;

  /// `is_mine`: whether element number `element` of the plan, a joint, is here. `network`: null on the server
  /// of a node. Plan and network must outlive it.
  HostedJoints(const Plan& plan, const std::function<bool(std::size_t element)>& is_mine, Network* network,
               MakePath make_path);
  ~HostedJoints();
  HostedJoints(const HostedJoints&) = delete;
  HostedJoints& operator=(const HostedJoints&) = delete;

  /// The end of path `path`, which leads to a joint that is here. Throws ConfigurationError when it does not.
  std::unique_ptr<Stage> make_end(std::size_t path);
  /// Ends all waiting, and every later operation too.
  void close();

  void begin(LinkPool& links, std::function<void()> call) override;
  void attend() override;
  [[nodiscard]] Deadline due() override;
  void end() override;

 private:
  [[nodiscard]] JointConfig config_of(const JointPlan& joint) const;
  [[nodiscard]] JointChild child_of(const CollectivePlan& collective, std::size_t path) const;
  void add_participants(const CollectivePlan& collective, std::size_t path,
                        std::vector<std::uint32_t>& participants) const;
  [[nodiscard]] Uplink uplink_of(std::size_t path);
  [[nodiscard]] Uplink uplink_of_loop(std::size_t path);

  const Plan* plan_;
  Network* network_;
  MakePath make_path_;
  LinkPool* loop_links_{nullptr};
  std::function<void()> call_;
  std::map<std::size_t, std::unique_ptr<Joint>> joints_;  // by number in the plan
  std::vector<Joint*> driven_;                            // those with an uplink, on the server of a node
};

}  // namespace eventspace
