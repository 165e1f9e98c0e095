#include <gtest/gtest.h>

#include <fstream>
#include <future>
#include <sstream>

#include <eventspace/session.h>
#include "pathmaps/plan/plan.h"
#include "tests/hosts/hosts_ground.h"
#include "tests/monitors/observed.h"

// A thread of this process waits at an element on another host, which then becomes silent. The test takes a
// minute and a half, the time in which the kernel detects a lost connection.
namespace eventspace {
namespace {

using namespace std::chrono_literals;
using testing_commands::eventually;

class VanishedHost : public testing_commands::Observed {
 protected:
  void SetUp() override {
    pathmap_ = write("vanished.yaml", "pathmap: 1\nname: vanished\ncluster:\n  nodes:\n    n1: " +
                                          node("n1", testing_commands::free_port()) +
                                          "\n    n2: " + node("n2", testing_commands::free_port()) +
                                          "\napplication:\n"
                                          "  threads: [a]\n"
                                          "  elements: [{name: box, tuple: [int]}]\n"
                                          "  paths: [{thread: a, name: box, element: box}]\n"
                                          "placement:\n"
                                          "  processes: {p0: {node: n1, threads: a}}\n"
                                          "  elements: [{elements: box, node: n2}]\n"
                                          "collect: {enabled: false}\n");
    consumer_ = std::make_unique<Consumer>(pathmap_);
    serve("n2");
  }

  // Returns the number of requests to the server of n2, without those of this monitor.
  std::int64_t requests_of_others() {
    const auto report = consumer_->ping(NodeIndex(1), testing_commands::generous);
    return report ? static_cast<std::int64_t>(report->requests) - ++pings_ : 0;
  }
  // Returns true if the other kernel has acknowledged all bytes sent from here. While bytes are
  // unacknowledged, the kernel retransmits them and sends no keep-alive probes, so the loss is detected
  // later.
  static bool is_all_received() {
    std::ifstream connections("/proc/thread-self/net/tcp");
    std::string number, local, remote, state, queues;
    for (std::string line; std::getline(connections, line);) {
      std::istringstream(line) >> number >> local >> remote >> state >> queues;
      if (number != "sl" && !queues.starts_with("00000000:")) return false;
    }
    return true;
  }

 private:
  std::int64_t pings_{0};
};

TEST_F(VanishedHost, EndsAnOperationThatWaitsThere) {
  const std::int64_t before = requests_of_others();
  Session session = Session::join(pathmap_, "p0");
  auto waiting =
      std::async(std::launch::async, [&session] { return session.thread("a").path("box").take().status; });
  ASSERT_TRUE(eventually([&] {
    return requests_of_others() >= before + 2 && is_all_received();
  }));  // the requests to open and to take
  testing_hosts::network_of(ground()).unplug("n2");
  EXPECT_EQ(waiting.wait_for(180s), std::future_status::ready);
  session.close();
  EXPECT_EQ(waiting.get(), Status::closed);
}

}  // namespace
}  // namespace eventspace
