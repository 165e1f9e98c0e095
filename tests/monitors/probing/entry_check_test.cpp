#include "monitors/probing/code/entry_check.h"

#include <gmock/gmock.h>

#include "tests/monitors/probing/small_module.h"

// Machine code is written in bytes, with the instructions beside it.

namespace eventspace {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing_probing::SmallElf;

using testing_probing::endbr64;
using testing_probing::leave_and_return;
using testing_probing::move_rbp;
using testing_probing::push_rbp;
using testing_probing::simple;
using testing_probing::take_frame;

class Module : public testing_probing::SmallModule {
 public:
  using SmallModule::SmallModule;
  [[nodiscard]] EntryRefusal refusal(std::size_t place = 0) const {
    return EntryCheck(symbols()).refusal_of(function(place));
  }
};

#ifdef EVENTSPACE_HAS_ZYDIS

TEST(Decode, KnowsWhereAJumpLeads) {
  const std::string code = "\xeb\x10";  // jmp +16
  const auto jump = decode(std::as_bytes(std::span(code)), 0x1000);
  ASSERT_TRUE(jump);
  EXPECT_EQ(jump->flow, Instruction::Flow::jump);
  EXPECT_EQ(jump->target, 0x1012U);
  EXPECT_EQ(jump->immediate_bits, 8);
}

TEST(Decode, KnowsWhatIsNamedRelativeToTheInstruction) {
  const std::string code("\x48\x8d\x05\xf9\xff\xff\xff", 7);  // lea -7(%rip),%rax
  const auto lea = decode(std::as_bytes(std::span(code)), 0x1000);
  ASSERT_TRUE(lea);
  EXPECT_EQ(lea->relative_memory, 0x1000U);
  EXPECT_EQ(lea->displacement_at, 3);
}

TEST(Decode, RefusesTruncatedInstructions) {
  EXPECT_FALSE(decode({}, 0));
  const std::string code = "\x48\x8d";
  EXPECT_FALSE(decode(std::as_bytes(std::span(code)), 0));
}

TEST(EntryCheck, AnOrdinaryFunctionCanHaveAProbe) {
  EXPECT_EQ(Module({simple}).refusal(), EntryRefusal::none);
}

TEST(EntryCheck, TheProbeIsAfterTheLandingInstruction) {
  const Module module({endbr64 + simple, simple});
  EXPECT_EQ(module.refusal(), EntryRefusal::none);
  EXPECT_EQ(EntryCheck::place_in(module.symbols().image, module.function(0)), 0x1004U);
  EXPECT_EQ(EntryCheck::place_in(module.symbols().image, module.function(1)), 0x100eU);
}

TEST(EntryCheck, AFunctionThatIsTooShortIsRefused) {
  EXPECT_EQ(Module({"\xc3", simple}).refusal(), EntryRefusal::too_short);
  EXPECT_EQ(Module({endbr64 + "\x31\xc0\xc3"}).refusal(), EntryRefusal::too_short);
}

TEST(EntryCheck, ABranchIntoTheFirstBytesIsRefused) {
  const std::string loop = push_rbp + move_rbp + take_frame + "\xeb\xf7" + leave_and_return;  // jmp to mov
  EXPECT_EQ(Module({loop}).refusal(), EntryRefusal::branch_into);
  // From another function, such as this one's cold section.
  const std::string cold = "\xeb\xf5";  // jmp from 0x100a to 0x1001
  EXPECT_EQ(Module({simple, cold}).refusal(), EntryRefusal::branch_into);
}

TEST(EntryCheck, ALoopToTheEntryIsRefusedAndARecursiveCallIsNot) {
  const std::string body = push_rbp + move_rbp + take_frame;  // 8 bytes
  EXPECT_EQ(Module({body + "\xeb\xf6" + leave_and_return}).refusal(), EntryRefusal::loop_to_entry);
  EXPECT_EQ(Module({body + "\xe8\xf3\xff\xff\xff" + leave_and_return}).refusal(), EntryRefusal::none);
}

TEST(EntryCheck, InstructionsThatCannotBeMovedAreRefused) {
  const std::string call("\xe8\0\0\0\0\x90\x90\xc3", 8);
  EXPECT_EQ(Module({call}).refusal(), EntryRefusal::call);
  EXPECT_EQ(Module({"\xe3\x05" + simple}).refusal(), EntryRefusal::short_jump);           // jrcxz
  EXPECT_EQ(Module({"\x31\xc0\x0f\x05" + simple}).refusal(), EntryRefusal::system_call);  // syscall
  EXPECT_EQ(Module({"\xcc" + simple}).refusal(), EntryRefusal::breakpoint);
  EXPECT_EQ(Module({"\x06" + simple}).refusal(), EntryRefusal::not_decoded);  // invalid in 64-bit mode
  EXPECT_EQ(Module({simple + "\x06"}).refusal(), EntryRefusal::data);
}

TEST(EntryCheck, AnotherFunctionInTheFirstBytesIsRefused) {
  ElfImage image(SmallElf().code(simple).function("f", 0x1000, 10).function("g", 0x1001, 9).bytes());
  auto functions = functions_of(image.functions());
  const ModuleSymbols module{std::move(image), "", std::move(functions), {}};
  EXPECT_EQ(EntryCheck(module).refusal_of(module.functions[0]), EntryRefusal::other_function);
}

TEST(EntryCheck, WhatTheSymbolSaysIsRefused) {
  ElfImage image(SmallElf()
                     .code(simple)
                     .function("sizeless", 0x1000, 0)
                     .function("resolver", 0x1001, 9, STB_GLOBAL, STT_GNU_IFUNC)
                     .function("f.cold", 0x1002, 8)
                     .function("data", 0x2000, 9)
                     .function("nowhere", 0x9000, 9)
                     .bytes());
  auto functions = functions_of(image.functions());
  const ModuleSymbols module{std::move(image), "", std::move(functions), {}};
  const EntryCheck check(module);
  std::vector<EntryRefusal> refusals;
  for (const Function& function : module.functions) refusals.push_back(check.refusal_of(function));
  EXPECT_THAT(refusals, ElementsAre(EntryRefusal::no_size, EntryRefusal::resolver, EntryRefusal::cold_section,
                                    EntryRefusal::not_code, EntryRefusal::not_code));
}

/// A function with a jump through a table of distances at 0x2000.
std::string switching() {
  return push_rbp + move_rbp + take_frame +            // 0x1000
         std::string("\x48\x8d\x15\xf1\x0f\0\0", 7) +  // 0x1008: lea 0x2000(%rip),%rdx
         "\x48\x63\x04\xba" +                          // movslq (%rdx,%rdi,4),%rax
         "\x48\x01\xd0" +                              // add %rdx,%rax
         "\xff\xe0" +                                  // jmp *%rax
         leave_and_return;                             // 0x1018
}

TEST(EntryCheck, JumpTablesAreFollowed) {
  const auto entry = [](std::int32_t to) { return SmallElf::bytes_of(to - 0x2000); };
  EXPECT_EQ(Module({switching()}, entry(0x1018) + entry(0x1008)).refusal(), EntryRefusal::none);
  EXPECT_EQ(Module({switching()}, entry(0x1018) + entry(0x1001)).refusal(), EntryRefusal::table_into);
  EXPECT_EQ(Module({switching()}, entry(0x5000)).refusal(), EntryRefusal::unknown_jump);
}

TEST(EntryCheck, AComputedJumpAtTheEndOfAFunctionCallsAnotherOne) {
  EXPECT_EQ(Module({simple.substr(0, 8) + "\xc9\xff\xe0"}).refusal(),
            EntryRefusal::none);  // leave; jmp *%rax
  EXPECT_EQ(Module({simple.substr(0, 8) + "\xff\x60\x08"}).refusal(), EntryRefusal::none);  // jmp *8(%rax)
  EXPECT_EQ(Module({simple.substr(0, 8) + "\x90\xff\xe0"}).refusal(), EntryRefusal::unknown_jump);
}

TEST(EntryCheck, OverlappingFunctionsAreNotReadWithoutEnd) {
  std::string code(std::size_t{1} << 20, '\x90');
  SmallElf elf;
  for (std::uint64_t i = 0; i < 1000; ++i) elf.function("f" + std::to_string(i), 0x1000 + i, code.size() - i);
  ElfImage image(elf.code(code).bytes());
  auto functions = functions_of(image.functions());
  const ModuleSymbols module{std::move(image), "", std::move(functions), {}};
  EXPECT_EQ(EntryCheck(module).refusal_of(module.functions.back()), EntryRefusal::too_much_code);
}

TEST(EntryCheck, FindsTheCallersOfAFunction) {
  const std::string caller = push_rbp + "\xe8\xf0\xff\xff\xff" + "\x5d\xc3";  // calls 16 bytes before
  const Module module({simple, caller, simple});
  const EntryCheck check(module.symbols());
  EXPECT_THAT(check.callers_of([](const Function& function) { return function.name == "f0"; }),
              ElementsAre(0x100aU));
  EXPECT_THAT(check.callers_of([](const Function& function) { return function.name == "f2"; }), IsEmpty());
}

TEST(EntryRefusal, EachHasItsOwnWords) {
  std::set<std::string_view> texts;
  for (int i = 0; i <= static_cast<int>(EntryRefusal::too_much_code); ++i)
    texts.insert(to_string(static_cast<EntryRefusal>(i)));
  EXPECT_EQ(texts.size(), static_cast<std::size_t>(EntryRefusal::too_much_code) + 1);
  EXPECT_FALSE(texts.contains("?"));
}

// Most functions of a real program can be probed.
TEST(EntryCheck, OfARealProgramRefusesFew) {
  const ModuleSymbols program = read_module("/proc/self/exe");
  const EntryCheck check(program);
  const auto possible = std::ranges::count_if(program.functions, [&](const Function& function) {
    return check.refusal_of(function) == EntryRefusal::none;
  });
  EXPECT_GT(static_cast<std::size_t>(possible), program.functions.size() * 3 / 4);
}

#else

TEST(EntryCheck, IsLeftOutWithoutZydis) { EXPECT_EQ(Module({simple}).refusal(), EntryRefusal::not_decoded); }

#endif

}  // namespace
}  // namespace eventspace
