#include "monitors/probing/tracing/traced_thread.h"

#include <gmock/gmock.h>
#include <sys/syscall.h>

#include <chrono>
#include <thread>

#include "monitors/probing/tracing/stopped_calls.h"
#include "monitors/probing/tracing/traced_process.h"
#include "tests/monitors/probing/hot_program.h"

namespace eventspace {
namespace {

using testing::HasSubstr;
using testing_probing::HotProgram;

class LateThread : public HotProgram {
 protected:
  /// Makes the program wait for `wait` in a system call, and gives up after `patience`. Returns the reason.
  std::string give_up_in_call(std::chrono::milliseconds wait, std::chrono::milliseconds patience) {
    std::string reason;
    // The program resumes when the thread that traces it ends.
    std::thread([&] {
      const StoppedProcess stopped(target_.pid());
      const ProcessMemory memory(target_.pid());
      const CallSite site = call_site_in(memory, mapped_ranges(target_.pid()));
      try {
        (void)stopped.first().call(site, SYS_poll, {0, 0, static_cast<std::uint64_t>(wait.count())},
                                   patience);
      } catch (const EnvironmentError& error) {
        reason = error.what();
      }
    }).join();
    return reason;
  }
};

TEST_F(LateThread, ReturnsFromItsCallByItselfWhenTheToolHasGivenUp) {
  ASSERT_TRUE(has_new_rounds(1));
  for (int i = 0; i < 5; ++i) {
    EXPECT_THAT(give_up_in_call(std::chrono::milliseconds(200), std::chrono::milliseconds(10)),
                HasSubstr("did not make the system call"));
    EXPECT_TRUE(has_new_rounds(1));
  }
  expect_right_end();
}

// Without patience, the tool gives up before the thread has executed an instruction of the call. The
// program's signals stop a thread that is traced, wherever it is.
TEST_F(LateThread, IsLeftAloneByATracerThatGaveUpBeforeTheCallBegan) {
  ASSERT_TRUE(has_new_rounds(1));
  for (int i = 0; i < 20; ++i)
    EXPECT_THAT(give_up_in_call(std::chrono::milliseconds(1), std::chrono::milliseconds(0)),
                HasSubstr("did not make the system call"));
  EXPECT_TRUE(has_new_rounds(1));
  expect_right_end();
}

TEST_F(LateThread, ThatIsInTimeIsWaitedFor) {
  ASSERT_TRUE(has_new_rounds(1));
  EXPECT_EQ(give_up_in_call(std::chrono::milliseconds(50), TracedThread::patience_for_call), "");
  EXPECT_TRUE(has_new_rounds(1));
  expect_right_end();
}

}  // namespace
}  // namespace eventspace
