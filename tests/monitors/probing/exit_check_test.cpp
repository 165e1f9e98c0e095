#include "monitors/probing/code/exit_check.h"

#include <gmock/gmock.h>

#include "tests/monitors/probing/small_module.h"

#ifdef EVENTSPACE_HAS_ZYDIS

namespace eventspace {
namespace {

using testing::SizeIs;
using testing_probing::leave_and_return;
using testing_probing::move_rbp;
using testing_probing::push_rbp;
using testing_probing::SmallModule;
using testing_probing::take_frame;

constexpr std::uint64_t base = testing_probing::SmallElf::code_at;
const std::string head = push_rbp + move_rbp + take_frame;  // 8 bytes
const std::string set_result("\xb8\x07\0\0\0", 5);          // mov $7,%eax
const std::string nothing = "\x90";                         // nop

FunctionExits exits(const SmallModule& module, std::size_t place = 0) {
  const EntryCheck check(module.symbols());
  EXPECT_EQ(check.refusal_of(module.function(place)), EntryRefusal::none);
  return exits_of(check, module.function(place));
}

TEST(ExitCheck, AReturnTakesTheInstructionsBeforeIt) {
  const auto found = exits(SmallModule({head + set_result + leave_and_return, head}));
  EXPECT_EQ(found.refusal, ExitRefusal::none);
  ASSERT_THAT(found.sites, SizeIs(1));
  EXPECT_EQ(found.sites[0].begin, base + 8) << "the mov";
  EXPECT_EQ(found.sites[0].leaving, base + 14) << "the ret";
  EXPECT_EQ(found.sites[0].end, base + 15);
}

TEST(ExitCheck, OnlyItsOwnColdSectionBelongsToAFunction) {
  // je to the second instruction of the other function.
  const std::string function = head + std::string("\x0f\x84\x08\0\0\0", 6) + set_result + leave_and_return;
  const auto found = [&](const char* name) {
    return exits(SmallModule({function, nothing + set_result + leave_and_return, head}, "", {"foo", name}));
  };
  EXPECT_EQ(found("foo.cold").refusal, ExitRefusal::none);
  EXPECT_THAT(found("foo.cold").sites, SizeIs(2));
  EXPECT_EQ(found("foobar.cold").refusal, ExitRefusal::into_other);
}

TEST(ExitCheck, AReturnTakesThePaddingAfterIt) {
  // 8 + 2 bytes and 6 of padding up to the next function, at a multiple of 16.
  const SmallModule module({head + leave_and_return, std::string(6, testing_probing::breakpoint),
                            head + set_result + leave_and_return});
  const auto found = exits(module);
  ASSERT_THAT(found.sites, SizeIs(1)) << to_string(found.refusal);
  EXPECT_EQ(found.sites[0].leaving, base + 9);
  EXPECT_GE(found.sites[0].end - found.sites[0].begin, 5U);
}

TEST(ExitCheck, AReturnWithoutRoomIsRefused) {
  EXPECT_EQ(exits(SmallModule({head + leave_and_return, head})).refusal, ExitRefusal::no_room)
      << "the entry's probe takes what is before it, and a function follows";
  // A branch leads between the instructions that the jump would replace: xor %eax,%eax; je ret; ...
  const std::string into = head + "\x31\xc0\x74\x06" + set_result + leave_and_return;
  EXPECT_EQ(exits(SmallModule({into, head})).refusal, ExitRefusal::no_room);
}

TEST(ExitCheck, EachReturnIsFound) {
  // test %edi,%edi; je second; mov $7,%eax; leave; ret; second: mov $7,%eax; leave; ret
  const std::string two =
      head + "\x85\xff\x74\x07" + set_result + leave_and_return + set_result + leave_and_return;
  const auto found = exits(SmallModule({two, head}));
  ASSERT_THAT(found.sites, SizeIs(2)) << to_string(found.refusal);
  EXPECT_EQ(found.sites[1].begin, base + 19) << "a branch may lead to its first byte";
}

TEST(ExitCheck, AJumpToAnotherFunctionIsAnExit) {
  // leave; jmp to the next function, which follows directly
  const std::string tail = head + "\xc9" + std::string("\xe9\0\0\0\0", 5);
  const auto found = exits(SmallModule({tail, head + set_result + leave_and_return}));
  ASSERT_THAT(found.sites, SizeIs(1)) << to_string(found.refusal);
  EXPECT_EQ(found.sites[0].begin, base + 9);
  EXPECT_EQ(found.sites[0].leaving, base + 9);
}

TEST(ExitCheck, AConditionalJumpToAnotherFunctionIsAnExitIfItIsLong) {
  const std::string rest = set_result + leave_and_return;
  // test %edi,%edi; je (6 bytes) to the next function
  const std::string jump = head + "\x85\xff" + std::string("\x0f\x84\x07\0\0\0", 6) + rest;
  EXPECT_THAT(exits(SmallModule({jump, head + rest})).sites, SizeIs(2));
  const std::string short_one = head + "\x85\xff\x74\x07" + rest;
  EXPECT_EQ(exits(SmallModule({short_one, head + rest})).refusal, ExitRefusal::short_jump);
}

TEST(ExitCheck, AJumpIntoAnotherFunctionIsRefused) {
  const std::string into = head + "\xc9" + std::string("\xe9\x03\0\0\0", 5);
  EXPECT_EQ(exits(SmallModule({into, head + set_result + leave_and_return})).refusal,
            ExitRefusal::into_other);
}

TEST(ExitCheck, AFunctionThatNeverReturnsIsRefused) {
  EXPECT_EQ(exits(SmallModule({head + "\x0f\x0b", head})).refusal, ExitRefusal::no_exit);  // ud2
}

}  // namespace
}  // namespace eventspace

#endif
