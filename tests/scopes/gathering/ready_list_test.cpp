#include "scopes/gathering/ready_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace eventspace {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(ReadyListTest, WokenEntriesAreTakenOnceInOrderAndTheParentsWakerIsCalled) {
  struct Told final : Waker {
    void wake() noexcept override { ++times; }
    int times{0};
  } told;
  ReadyList list;
  ReadyList::Entry first(list), second(list);
  std::vector<ReadyList::Entry*> taken;
  list.tell(&told);
  second.wake();
  first.wake();
  second.wake();
  list.take(taken);
  EXPECT_THAT(taken, ElementsAre(&second, &first));
  EXPECT_EQ(told.times, 3);
  list.take(taken);
  EXPECT_THAT(taken, IsEmpty());
  list.tell(nullptr);
  first.wake();
  list.note(first);
  EXPECT_EQ(told.times, 3);
  list.take(taken);
  EXPECT_THAT(taken, ElementsAre(&first));
}

}  // namespace
}  // namespace eventspace
