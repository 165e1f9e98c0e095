#include "monitors/tune/at_priority.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/resource.h>

#include <stdexcept>
#include <thread>

namespace eventspace::tune {
namespace {

// Whether the calling thread has the scheduling class SCHED_IDLE.
bool is_idle() { return ::sched_getscheduler(0) == SCHED_IDLE; }
int nice_now() { return ::getpriority(PRIO_PROCESS, 0); }

TEST(AtPriorityTest, TheWorkAndTheThreadsThatItStartsHaveThePriorityAndTheCallerKeepsItsOwn) {
  const int before = nice_now();
  int low = 0;
  int inherited = 0;
  EXPECT_EQ(at_priority(Priority::low,
                        [&] {
                          low = nice_now();
                          std::thread([&] { inherited = nice_now(); }).join();
                        }),
            "");
  EXPECT_GE(low, 10);
  EXPECT_EQ(inherited, low);
  bool was_idle = false;
  EXPECT_EQ(at_priority(Priority::idle, [&] { was_idle = is_idle(); }), "");
  EXPECT_TRUE(was_idle);
  EXPECT_EQ(nice_now(), before);
  EXPECT_FALSE(is_idle());
}

TEST(AtPriorityTest, NormalPriorityFollowsLowPriority) {
  const int before = nice_now();
  int normal = -1;
  (void)at_priority(Priority::low, [] {});
  (void)at_priority(Priority::normal, [&] { normal = nice_now(); });
  EXPECT_EQ(normal, before);
}

TEST(AtPriorityTest, ExceptionsOfTheWorkReachTheCaller) {
  EXPECT_THROW((void)at_priority(Priority::low, [] { throw std::out_of_range("far"); }), std::out_of_range);
}

}  // namespace
}  // namespace eventspace::tune
