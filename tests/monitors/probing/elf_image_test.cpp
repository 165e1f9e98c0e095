#include "monitors/probing/symbols/elf_image.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <fstream>

#include <eventspace/error.h>
#include "monitors/probing/symbols/module_symbols.h"
#include "monitors/probing/symbols/packed_symbols.h"
#include "tests/error_text.h"
#include "tests/monitors/probing/small_elf.h"
#include "tests/tuplespace/temporary_directory.h"

#ifdef EVENTSPACE_HAS_LZMA
#include <lzma.h>
#endif

namespace eventspace {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing_probing::SmallElf;

constexpr std::uint32_t build_id_note = 3;

std::string refusal_of(std::string text) {
  const auto* const begin = reinterpret_cast<const std::byte*>(text.data());
  return test::error_text<ConfigurationError>(
      [&] { const ElfImage image(std::vector<std::byte>(begin, begin + text.size())); });
}

TEST(ElfImage, HasSectionsFunctionsAndTheBuildId) {
  const ElfImage image(
      SmallElf().code("abcd").function("f", 0x1000, 4).note("GNU", build_id_note, "\x01\xab").bytes());
  EXPECT_EQ(image.build_id(), "01ab");
  ASSERT_THAT(image.functions(), SizeIs(1));
  EXPECT_EQ(image.functions()[0].name, "f");
  EXPECT_EQ(image.functions()[0].size, 4U);
  ASSERT_NE(image.section(".text"), nullptr);
  EXPECT_EQ(image.content(*image.section(".text")).size(), 4U);
}

TEST(ElfImage, YieldsBytesByTheirAddressAndNoneOutside) {
  const ElfImage image(SmallElf().code("abcd").data("xy").bytes());
  EXPECT_THAT(image.bytes_at(0x1002, 10), ElementsAre(std::byte{'c'}, std::byte{'d'}));
  EXPECT_THAT(image.bytes_at(0x1004, 1), IsEmpty());
  EXPECT_THAT(image.bytes_at(0xfff, 1), IsEmpty());
  EXPECT_TRUE(image.is_code(0x1003));
  EXPECT_FALSE(image.is_code(0x2000));
}

TEST(ElfImage, IsRefusedWithAReason) {
  EXPECT_THAT(refusal_of(""), HasSubstr("not an ELF file"));
  EXPECT_THAT(refusal_of("#!/bin/sh"), HasSubstr("not an ELF file"));
  const std::string whole = SmallElf().text();
  EXPECT_THAT(refusal_of(whole.substr(0, 20)), HasSubstr("ends within the ELF header"));
  std::string of_32_bits = whole;
  of_32_bits[EI_CLASS] = ELFCLASS32;
  EXPECT_THAT(refusal_of(of_32_bits), HasSubstr("32-bit"));
  std::string of_arm = whole;
  of_arm[offsetof(Elf64_Ehdr, e_machine)] = static_cast<char>(EM_AARCH64);
  EXPECT_THAT(refusal_of(of_arm), HasSubstr("other processors (machine 183)"));
}

TEST(ElfImage, IsReadAsFarAsItGoesWhenItIsTruncated) {
  const std::string whole = SmallElf().code("abcd").function("f", 0x1000, 4).note("GNU", 3, "id").text();
  for (std::size_t size = sizeof(Elf64_Ehdr); size < whole.size(); ++size)
    EXPECT_EQ(refusal_of(whole.substr(0, size)), "") << size;
}

// Each section is a table of all symbols, so there are as many symbols as sections times symbols: a few
// thousand of both would fill the memory.
TEST(ElfImage, DoesNotReadTheSameBytesWithoutEnd) {
  SmallElf elf;
  for (int i = 0; i < 100; ++i) elf.function("f" + std::to_string(i), 0x1000, 4);
  std::string text = elf.text();
  Elf64_Ehdr head;
  std::memcpy(&head, text.data(), sizeof head);
  const std::string table = text.substr(head.e_shoff + 3 * sizeof(Elf64_Shdr), sizeof(Elf64_Shdr));
  for (int i = 0; i < 20000; ++i) text += table;
  // All section headers are in the file, in place of the real ones.
  head.e_shoff = text.size() - 20000 * sizeof(Elf64_Shdr);
  head.e_shnum = 0;
  std::memcpy(text.data(), &head, sizeof head);
  const auto* const begin = reinterpret_cast<const std::byte*>(text.data());
  const ElfImage image(std::vector<std::byte>(begin, begin + text.size()));
  EXPECT_LT(image.functions().size(), 4 * text.size());
}

TEST(Functions, OfOneAddressAreOneFunctionWithAliases) {
  const auto functions = functions_of({{"local", 0x20, 8, false, false},
                                       {"write", 0x20, 4, true, false},
                                       {"first", 0x10, 4, false, false},
                                       {"local", 0x20, 8, false, false}});
  ASSERT_THAT(functions, SizeIs(2));
  EXPECT_EQ(functions[0].name, "first");
  EXPECT_EQ(functions[1].name, "write");
  EXPECT_EQ(functions[1].size, 8U);
  EXPECT_THAT(functions[1].aliases, ElementsAre("local"));
}

TEST(UserProbes, AreReadFromTheirNotes) {
  const std::string texts("app\0begin\0-4@%edi\0", 18);
  const ElfImage image(SmallElf()
                           .note("stapsdt", 3, SmallElf::user_probe(0x1004, 0, 0x3000, texts))
                           .note("stapsdt", 3, SmallElf::user_probe(0x1008, 0, 0, "app"))  // truncated
                           .note("stapsdt", 3, "short")
                           .note("other", 3, SmallElf::user_probe(0x1008, 0, 0, texts))
                           .bytes());
  const auto probes = user_probes_of(image);
  ASSERT_THAT(probes, SizeIs(1));
  EXPECT_EQ(probes[0].provider, "app");
  EXPECT_EQ(probes[0].name, "begin");
  EXPECT_EQ(probes[0].arguments, "-4@%edi");
  EXPECT_EQ(probes[0].address, 0x1004U);
  EXPECT_EQ(probes[0].semaphore, 0x3000U);
}

class ModuleFile : public testing::Test {
 protected:
  std::filesystem::path write(const std::string& name, const std::string& text) const {
    const auto file = directory_.path() / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << text;
    return file;
  }
  [[nodiscard]] ModuleSymbols read(const std::filesystem::path& file) const {
    return read_module(file, directory_.path() / "debug");
  }

  test::TemporaryDirectory directory_;
};

TEST_F(ModuleFile, HasTheFunctionsOfTheFileOfDebuggingInformationWithItsBuildId) {
  const std::string id = "\x01\xab\xcd";
  const auto file = write("app", SmallElf().code("abcd").note("GNU", build_id_note, id).text());
  EXPECT_THAT(read(file).functions, IsEmpty());
  const SmallElf debug = SmallElf().function("hidden", 0x1000, 4, STB_LOCAL);
  write("debug/01/abcd.debug", SmallElf(debug).note("GNU", build_id_note, "other").text());
  EXPECT_THAT(read(file).functions, IsEmpty());
  write("debug/01/abcd.debug", SmallElf(debug).note("GNU", build_id_note, id).text());
  EXPECT_THAT(read(file).functions, ElementsAre(testing::Field(&Function::name, "hidden")));
}

#ifdef EVENTSPACE_HAS_LZMA
std::string packed(const std::string& text) {
  std::string out(text.size() + 1024, '\0');
  std::size_t size = 0;
  EXPECT_EQ(::lzma_easy_buffer_encode(6, LZMA_CHECK_CRC32, nullptr,
                                      reinterpret_cast<const std::uint8_t*>(text.data()), text.size(),
                                      reinterpret_cast<std::uint8_t*>(out.data()), &size, out.size()),
            LZMA_OK);
  return out.substr(0, size);
}

TEST_F(ModuleFile, HasThePackedSymbolsOfAStrippedFile) {
  const std::string symbols = SmallElf().function("hidden", 0x1000, 4, STB_LOCAL).text();
  const auto of = [&](const std::string& content) {
    return read(
        write("app", SmallElf().code("abcd").section(".gnu_debugdata", SHT_PROGBITS, content).text()));
  };
  EXPECT_THAT(of(packed(symbols)).functions, ElementsAre(testing::Field(&Function::name, "hidden")));
  EXPECT_THAT(of(packed(symbols).substr(0, 60)).functions, IsEmpty());
  EXPECT_THAT(of("no xz").functions, IsEmpty());
  EXPECT_THAT(of(packed("no ELF file")).functions, IsEmpty());
}

TEST(PackedSymbols, ThatWouldFillTheMemoryAreRefused) {
  const std::string bomb = packed(std::string(std::size_t{80} << 20, '\0'));
  EXPECT_LT(bomb.size(), std::size_t{1} << 20);
  const auto* const begin = reinterpret_cast<const std::byte*>(bomb.data());
  EXPECT_EQ(unpacked_symbols({begin, bomb.size()}), std::nullopt);
}
#endif

TEST_F(ModuleFile, ThatCannotBeReadIsNamed) {
  const auto message_of = [&](const std::filesystem::path& file) -> std::string {
    return test::error_text<Error>([&] { (void)read(file); });
  };
  EXPECT_THAT(message_of("/nowhere/app"), HasSubstr("/nowhere/app cannot be read: No such file"));
  EXPECT_THAT(message_of("/dev"), HasSubstr("/dev is not a regular file"));
  EXPECT_THAT(message_of(write("script", "#!/bin/sh")), testing::EndsWith("script: it is not an ELF file"));
  const auto pipe = directory_.path() / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_THAT(message_of(pipe), HasSubstr("is not a regular file"));
  const auto holes = write("holes", "");
  std::filesystem::resize_file(holes, ElfImage::max_bytes + 1);
  EXPECT_THAT(message_of(holes), HasSubstr("at most 2147483648 can be read"));
}

TEST_F(ModuleFile, OfThisProgramHasItsOwnFunctions) {
  const ModuleSymbols module = read("/proc/self/exe");
  EXPECT_TRUE(std::ranges::any_of(module.functions, [](const Function& f) { return f.name == "main"; }));
}

}  // namespace
}  // namespace eventspace
