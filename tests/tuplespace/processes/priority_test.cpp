#include "tuplespace/processes/priority.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <fstream>
#include <string>
#include <thread>

#include "tests/tuplespace/child.h"

namespace eventspace {
namespace {

// Priorities cannot be taken back, so each test is a child process, which fails by its exit status.
void in_a_child(const std::function<bool()>& holds) {
  test::Child child([&] {
    if (!holds()) ::_exit(1);
  });
  EXPECT_TRUE(child.ends_well());
}

int nice_now() { return ::getpriority(PRIO_PROCESS, 0); }

std::string group_now() {
  std::ifstream file("/proc/self/autogroup");
  std::string line;
  std::getline(file, line);
  return line;
}

bool kernel_shares_by_session() {
  std::ifstream setting("/proc/sys/kernel/sched_autogroup_enabled");
  int enabled = 0;
  return setting >> enabled && enabled == 1 && !group_now().empty();
}

TEST(PriorityTest, EachHasItsWord) {
  for (const Priority priority : {Priority::idle, Priority::low, Priority::normal})
    EXPECT_EQ(priority_from(to_string(priority)), priority);
  EXPECT_FALSE(priority_from("high"));
}

TEST(PriorityTest, LowIsNiceTenUnlessTheProcessIsNicerAlready) {
  in_a_child([] { return take_priority(Priority::low).empty() && nice_now() >= 10; });
  in_a_child([] {
    return ::setpriority(PRIO_PROCESS, 0, 15) == 0 && take_priority(Priority::low).empty() &&
           nice_now() == 15;
  });
}

TEST(PriorityTest, NormalChangesNothing) {
  in_a_child([] {
    const int nice = nice_now();
    const int policy = ::sched_getscheduler(0);
    return take_priority(Priority::normal).empty() && nice_now() == nice && ::sched_getscheduler(0) == policy;
  });
}

TEST(PriorityTest, IdleIsTheKernelsIdleClassAlsoForThreadsThatAreStartedLater) {
  in_a_child([] {
    if (!take_priority(Priority::idle).empty()) return false;
    int of_thread = -1;
    std::thread([&] { of_thread = ::sched_getscheduler(0); }).join();
    return ::sched_getscheduler(0) == SCHED_IDLE && of_thread == SCHED_IDLE;
  });
}

TEST(PriorityTest, ASessionOfItsOwnHasItsGroupLoweredToo) {
  if (!kernel_shares_by_session()) GTEST_SKIP() << "this kernel does not share processors by session";
  in_a_child([] {
    return ::setsid() > 0 && !shares_its_session_group() &&
           take_session_priority(Priority::low, 60).empty() && group_now().ends_with(" nice 10");
  });
  in_a_child([] {
    return ::setsid() > 0 && take_session_priority(Priority::idle, 60).empty() &&
           group_now().ends_with(" nice 19");
  });
}

TEST(PriorityTest, TheGroupOfASessionWithOtherProcessesIsLeftAlone) {
  if (!kernel_shares_by_session()) GTEST_SKIP() << "this kernel does not share processors by session";
  const std::string before = group_now();
  in_a_child([] { return shares_its_session_group() && take_session_priority(Priority::idle).empty(); });
  EXPECT_EQ(group_now(), before);
}

}  // namespace
}  // namespace eventspace
