#include "tuplespace/processes/process_sight.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>

namespace eventspace {
namespace {

constexpr std::int32_t beyond_all_ids = (1 << 22) + 1;

FileLock held() { return FileLock::held; }
FileLock free_lock() { return FileLock::free; }
FileLock not_shared() { return FileLock::not_shared; }

/// This process as if it were in other namespaces.
ProcessIdentity elsewhere() {
  ProcessIdentity process = own_identity();
  process.origin.pid_namespace += 1'000'000;
  process.origin.has_lock = 1;
  return process;
}

TEST(ProcessSight, TheCallingProcessRuns) {
  const ProcessSight self(own_identity());
  EXPECT_EQ(self.look(free_lock), Presence::running);
  EXPECT_TRUE(self.is_found());
  EXPECT_EQ(self.pid(), ::getpid());
  EXPECT_EQ(self.tid(::gettid()), ::gettid());
}

TEST(ProcessSight, AnIdOfTheSameNamespaceThatNoProcessHasIsGoneWhateverTheLockSays) {
  ProcessIdentity process = own_identity();
  process.pid = beyond_all_ids;
  EXPECT_EQ(presence_of(process, held), Presence::gone);
  ProcessIdentity reused = own_identity();
  reused.start_ticks -= 1;
  EXPECT_EQ(presence_of(reused, held), Presence::gone);
}

TEST(ProcessSight, OfAnotherNamespaceOnlyTheLockTellsWhetherItLives) {
  EXPECT_EQ(presence_of(elsewhere(), held), Presence::hidden);
  EXPECT_EQ(presence_of(elsewhere(), free_lock), Presence::gone);
  EXPECT_EQ(presence_of(elsewhere(), not_shared), Presence::gone) << "it is of this boot, so of this kernel";
}

TEST(ProcessSight, WithoutALockItIsUnknownWhetherItLivesAndNothingOfItMayBeRemoved) {
  ProcessIdentity process = elsewhere();
  process.origin.has_lock = 0;
  EXPECT_EQ(presence_of(process, free_lock), Presence::unknown);
  EXPECT_TRUE(may_live(Presence::unknown));
  EXPECT_FALSE(may_live(Presence::gone));
}

TEST(ProcessSight, OfAnotherBootTheIdSaysNothing) {
  ProcessIdentity process = own_identity();
  process.origin.boot += 1;
  process.origin.has_lock = 1;
  EXPECT_EQ(presence_of(process, held), Presence::hidden);
  EXPECT_EQ(presence_of(process, free_lock), Presence::gone);
  EXPECT_EQ(presence_of(process, not_shared), Presence::unknown) << "it may run on another machine";
}

TEST(ProcessSight, TheIdsOfOneThatIsNotFoundAreThoseOfNoProcessHere) {
  const ProcessSight process(elsewhere());
  EXPECT_FALSE(process.is_found());
  EXPECT_FALSE(process.has_ids_of_here());
  EXPECT_EQ(process.pid(), ::getpid()) << "what it says of itself";
  EXPECT_NE(process.start_ticks(), own_start_ticks());
  EXPECT_EQ(process.tid(::gettid()), 0);
}

TEST(ProcessSight, TheStartInAnotherTimeNamespaceIsComparedAsThisOneShowsIt) {
  if (own_origin().has_offsets == 0) GTEST_SKIP() << "the kernel has no time namespaces";
  ProcessIdentity process = own_identity();
  constexpr std::int64_t day_ns = std::chrono::nanoseconds(std::chrono::hours(24)).count();
  process.origin.time_namespace += 1'000'000;
  process.origin.boottime_offset_ns += day_ns;
  process.start_ticks += static_cast<std::uint64_t>(24 * 3600 * ::sysconf(_SC_CLK_TCK));
  EXPECT_EQ(presence_of(process, free_lock), Presence::running);
  EXPECT_EQ(ProcessSight(process).start_ticks(), own_start_ticks());
  process.start_ticks += 100;
  EXPECT_EQ(presence_of(process, held), Presence::gone) << "another process had the id";
}

TEST(ProcessSight, WithoutOffsetsTheLockTellsWhetherItIsTheProcessWithTheId) {
  ProcessIdentity process = own_identity();
  process.origin.time_namespace += 1'000'000;
  process.origin.has_offsets = 0;
  process.origin.has_lock = 1;
  process.start_ticks = 1;
  EXPECT_EQ(presence_of(process, held), Presence::running);
  EXPECT_EQ(presence_of(process, free_lock), Presence::gone);
}

TEST(ProcessOrigin, ClocksOfTwoTimeNamespacesDifferByTheirOffsets) {
  ProcessOrigin here{.boot = 1, .time_namespace = 5, .monotonic_offset_ns = -3, .has_offsets = 1};
  ProcessOrigin there{.boot = 1, .time_namespace = 6, .monotonic_offset_ns = 100, .has_offsets = 1};
  EXPECT_EQ(clock_shift(there, here).ns, 103);
  EXPECT_EQ(clock_shift(here, there).ns, -103);
  EXPECT_EQ(clock_shift(here, here).ns, 0);
  there.has_offsets = 0;
  EXPECT_FALSE(clock_shift(there, here).is_comparable);
  there = here;
  there.boot = 2;
  EXPECT_FALSE(clock_shift(there, here).is_comparable) << "another boot begins at 0 again";
}

TEST(ProcessOrigin, WhatIsUnknownCountsAsEqual) {
  const ProcessOrigin known = own_origin();
  EXPECT_TRUE(is_same_boot(known, {}));
  EXPECT_TRUE(is_same_pid_namespace(known, {}));
  EXPECT_TRUE(clock_shift(known, {}).is_comparable);
}

TEST(ProcessIdentity, IsReadFromItsLineAndFromAShorterOne) {
  const ProcessIdentity self = own_identity();
  const auto read = identity_in(to_text(self));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->pid, self.pid);
  EXPECT_EQ(read->start_ticks, self.start_ticks);
  EXPECT_EQ(read->origin, self.origin);
  EXPECT_EQ(identity_in("17 23")->start_ticks, 23u);
  EXPECT_EQ(identity_in("17 23")->origin, ProcessOrigin());
  EXPECT_EQ(identity_in("17")->pid, 17);
  EXPECT_FALSE(identity_in(""));
  EXPECT_FALSE(identity_in("-1 5"));
}

TEST(NamespaceIds, AreTheLastOfTheirLine) {
  EXPECT_EQ(namespace_ids_in("Name:\tx\nNSpid:\t71\t5\t1\nNSpgid:\t71\n").innermost, 1);
  EXPECT_EQ(namespace_ids_in("Name:\tx\nNSpid:\t71\t5\t1\nNSpgid:\t71\n").count, 3u);
  EXPECT_EQ(namespace_ids_in("Name:\tx\nNSpid:\t71\n").innermost, 71);
  EXPECT_EQ(namespace_ids_in("Name:\tx\n").count, 0u);
  EXPECT_EQ(namespace_ids_in("Name:\tx\nNSpid:\tjunk\n").count, 0u);
}

}  // namespace
}  // namespace eventspace
