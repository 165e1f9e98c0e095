#pragma once

#include <string>
#include <vector>

#include "tests/monitors/observed.h"

namespace eventspace::testing_commands {

/// The wind tunnel in two processes on two nodes: threads t0, t1 and main in p0 on n1, t2 and t3 in p1 on n2.
class ObservedTunnel : public Observed {
 protected:
  void SetUp() override;

  ChildProcess& tunnel(const std::string& process, std::vector<std::string> more = {});
  void start_servers();
  void start_all(const std::vector<std::string>& stall = {});

  std::string steps_ = "1000000000";  ///< no run ends by itself, unless a test sets a smaller number
  ChildProcess* server2_{nullptr};
  ChildProcess* process1_{nullptr};
};

}  // namespace eventspace::testing_commands
