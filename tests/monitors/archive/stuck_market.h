#pragma once

#include <gtest/gtest.h>
#include <signal.h>

#include <filesystem>

#include "tests/monitors/sessions/market.h"

namespace eventspace::testing_commands {

/// A market whose queue becomes full. For tests whose CMake defines QUEUE_APP.
class StuckMarket : public Market {
 protected:
  /// Writers that wait at a full queue, which no thread empties.
  Call start_stuck(const std::filesystem::path& pathmap) {
    Call application = start_market(pathmap, "nothing");
    EXPECT_TRUE(eventually([&] {
      return call({"heartbeat", pathmap, "--stall", "200ms", "--once"}).status() == 1;
    }));
    return application;
  }
  void stop(Call& application, const std::filesystem::path& pathmap) {
    application.signal(SIGTERM);
    application.status();
    call({"down", pathmap});
  }
};

}  // namespace eventspace::testing_commands
