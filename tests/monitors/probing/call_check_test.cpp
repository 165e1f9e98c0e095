#include "monitors/probing/code/call_check.h"

#include <gmock/gmock.h>

#include "tests/monitors/probing/small_module.h"

#ifdef EVENTSPACE_HAS_ZYDIS

namespace eventspace {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using testing::SizeIs;
using testing_probing::endbr64;
using testing_probing::leave_and_return;
using testing_probing::simple;
using testing_probing::SmallModule;
using testing_probing::take_frame;

constexpr std::uint64_t first_byte = testing_probing::SmallElf::code_at;
const std::string set_seven("\xb8\x07\0\0\0", 5);  // mov $7,%eax
const std::string called = simple;                 // 10 bytes, always the first function

/// A call (0xe8) or jump (0xe9), at offset `at` of the second function, to the first one.
std::string to_called(char opcode, std::size_t at) {
  const auto way = -static_cast<std::int32_t>(called.size() + at + 5);
  return opcode + std::string(reinterpret_cast<const char*>(&way), sizeof way);
}

FunctionCalls calls_by(const std::string& caller, bool has_ends) {
  const SmallModule module({called, caller, simple});
  const EntryCheck check(module.symbols());
  FunctionCalls found = calls_of(
      check, module.function(0), [](const Function& function) { return function.name == "f1"; }, has_ends);
  for (CallPlace& place : found.places) place.caller = nullptr;  // the module ends here
  return found;
}

TEST(CallCheck, FindsACallAndTheInstructionsAfterIt) {
  const std::string caller = take_frame + to_called('\xe8', 4) + set_seven + leave_and_return;
  const auto counted = calls_by(caller, false);
  ASSERT_THAT(counted.places, SizeIs(1));
  EXPECT_EQ(counted.places[0].address, first_byte + called.size() + 4);
  EXPECT_EQ(counted.places[0].behind_end, 0U);
  const auto ended = calls_by(caller, true);
  ASSERT_THAT(ended.places, SizeIs(1));
  EXPECT_EQ(ended.places[0].behind_end, first_byte + called.size() + 14) << "the mov";
}

TEST(CallCheck, FindsOnlyCallsByTheChosenCaller) {
  const SmallModule module({called, take_frame + to_called('\xe8', 4) + leave_and_return});
  const EntryCheck check(module.symbols());
  EXPECT_THAT(
      calls_of(
          check, module.function(0), [](const Function& caller) { return caller.name == "f7"; }, false)
          .places,
      IsEmpty());
}

TEST(CallCheck, ATailCallIsCountedButItsEndIsNotSeen) {
  const std::string caller = take_frame + "\xc9" + to_called('\xe9', 5);
  EXPECT_THAT(calls_by(caller, false).places, SizeIs(1));
  EXPECT_THAT(calls_by(caller, true).refused, ElementsAre(Pair(CallRefusal::tail_call, 1)));
}

TEST(CallCheck, ShortAndConditionalTailCallsAreRefused) {
  // leave; jmp -17 (2 bytes); and test %edi,%edi; je (6 bytes)
  EXPECT_THAT(calls_by(take_frame + "\xc9\xeb\xef" + set_seven, false).refused,
              ElementsAre(Pair(CallRefusal::short_jump, 1)));
  EXPECT_THAT(calls_by("\x85\xff" + std::string("\x0f\x84\xee\xff\xff\xff", 6) + simple, false).refused,
              ElementsAre(Pair(CallRefusal::conditional_jump, 1)));
}

TEST(CallCheck, ACallThatWasThroughAPointerHasAPrefixBeforeIts5Bytes) {
  const auto found =
      calls_by(take_frame + "\x67" + to_called('\xe8', 5) + set_seven + leave_and_return, true);
  ASSERT_THAT(found.places, SizeIs(1)) << "call with addr32, of 6 bytes";
  EXPECT_EQ(found.places[0].address, first_byte + called.size() + 5);
  EXPECT_EQ(found.places[0].behind_end, first_byte + called.size() + 15);
  // A segment prefix.
  EXPECT_THAT(calls_by(take_frame + "\x2e" + to_called('\xe8', 5) + leave_and_return, false).refused,
              ElementsAre(Pair(CallRefusal::other_form, 1)));
}

TEST(CallCheck, OnlyItsOwnColdSectionJumpsBackToAFunction) {
  const auto calls = [](const char* name) {
    const SmallModule module({called, take_frame + "\xc9" + to_called('\xe9', 5), simple}, "", {"foo", name});
    const EntryCheck check(module.symbols());
    return calls_of(
               check, module.function(0), [](const Function&) { return true; }, false)
        .places.size();
  };
  EXPECT_EQ(calls("foo.cold"), 0U);
  EXPECT_EQ(calls("foobar.cold"), 1U);
}

TEST(CallCheck, ThereMustBeRoomAfterTheCall) {
  const std::string call = take_frame + to_called('\xe8', 4);
  const auto refused = [&](const std::string& behind) { return calls_by(call + behind, true).refused; };
  EXPECT_THAT(refused(leave_and_return), ElementsAre(Pair(CallRefusal::no_room, 1)))
      << "two bytes, and the next function";
  // jmp +1: the code after it may be an exception handler.
  EXPECT_THAT(refused("\xeb\x01\x90" + set_seven + leave_and_return),
              ElementsAre(Pair(CallRefusal::no_room, 1)));
  EXPECT_THAT(refused("\x90" + set_seven + leave_and_return), ElementsAre(Pair(CallRefusal::no_room, 1)))
      << "padding: a handler or a loop begins behind it";
  EXPECT_THAT(refused(endbr64 + set_seven + leave_and_return), ElementsAre(Pair(CallRefusal::no_room, 1)));
  EXPECT_THAT(refused(to_called('\xe8', 9) + leave_and_return), ElementsAre(Pair(CallRefusal::no_room, 2)))
      << "another call, which has no room either";
}

TEST(CallCheck, AReturnAfterTheCallTakesThePaddingAfterIt) {
  // From 0x100a on: 4 and 5 bytes, leave, ret; padding up to 0x1020.
  const SmallModule module({called, take_frame + to_called('\xe8', 4) + leave_and_return,
                            std::string(11, testing_probing::breakpoint), simple});
  const EntryCheck check(module.symbols());
  const auto found = calls_of(
      check, module.function(0), [](const Function&) { return true; }, true);
  ASSERT_THAT(found.places, SizeIs(1));
  EXPECT_EQ(found.places[0].behind_end, first_byte + 24) << "with 3 bytes of padding";
}

TEST(CallCheck, AJumpMayLeadToTheEndOfTheCallButNotIntoTheBytesAfterIt) {
  // test %edi,%edi; je after; call; after: mov $7,%eax; leave; ret
  const std::string skipping = "\x85\xff\x74\x05" + to_called('\xe8', 4);
  EXPECT_THAT(calls_by(skipping + set_seven + leave_and_return, true).places, SizeIs(1));
  // From a later place, as from an exception handler: jmp after.
  EXPECT_THAT(calls_by(skipping + set_seven + leave_and_return + "\xeb\xf7", true).places, SizeIs(1));
  // But not into the bytes that would be replaced: je 3 bytes further.
  const std::string into = "\x85\xff\x74\x08" + to_called('\xe8', 4) + std::string("\x48\x89\xc3", 3) +
                           set_seven + leave_and_return;
  EXPECT_THAT(calls_by(into, true).refused, ElementsAre(Pair(CallRefusal::branch_into, 1)));
}

TEST(CallCheck, ACallerWithDataIsRefused) {
  const std::string caller = take_frame + to_called('\xe8', 4) + set_seven + leave_and_return + "\x06";
  EXPECT_THAT(calls_by(caller, false).refused, ElementsAre(Pair(CallRefusal::data, 1)));
}

}  // namespace
}  // namespace eventspace

#endif
