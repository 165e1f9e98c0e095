// The two parallel wind tunnels that bench/windtunnel compares: each must have the result of the tunnel in
// one thread.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <stdexcept>

#include "apps/windtunnel/gas/tunnel.h"
#include "bench/windtunnel/barrier_tunnel.h"
#include "bench/windtunnel/path_tunnel.h"
#include "pathmaps/pathmap.h"
#include "tests/windtunnel/test_pathmap.h"

namespace eventspace::windtunnel {
namespace {

constexpr TunnelConfig kConfig{.n = 160};
constexpr std::uint64_t kSteps = 25;

std::uint64_t reference_checksum() {
  Tunnel tunnel(kConfig);
  for (std::uint64_t i = 0; i < kSteps; ++i) tunnel.step();
  return tunnel.checksum();
}

class Tunnels : public ::testing::TestWithParam<std::size_t> {
 protected:
  static std::size_t threads() { return GetParam(); }

  static std::shared_ptr<const Plan> plan() {
    auto loaded = parse_plan(test_pathmap(threads(), 1), "the test");
    return std::make_shared<const Plan>(loaded.plan.value());
  }
};

INSTANTIATE_TEST_SUITE_P(Threads, Tunnels, ::testing::Values(1, 2, 7, 140),
                         [](const auto& shown) { return fmt::format("{}", shown.param); });

TEST_P(Tunnels, OnABarrierFindsWhatTheReferenceFinds) {
  const auto run = run_on_barrier(kConfig, threads(), kSteps);
  EXPECT_EQ(run.checksum, reference_checksum());
  EXPECT_GT(run.duration.count(), 0);
}

TEST_P(Tunnels, OnPathsFindsWhatTheReferenceFindsWithAndWithoutCollectors) {
  for (const auto collecting : {Collecting::on, Collecting::off}) {
    const auto run = run_on_paths(plan(), kConfig, kSteps, collecting);
    EXPECT_EQ(run.checksum, reference_checksum());
    EXPECT_GT(run.duration.count(), 0);
  }
}

TEST(BarrierTunnel, RefusesMoreThreadsThanRows) {
  EXPECT_THROW(run_on_barrier({.n = 32}, 33, 1), std::invalid_argument);
}

}  // namespace
}  // namespace eventspace::windtunnel
