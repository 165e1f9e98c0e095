// Reads any bytes as an ELF file: sections, symbols, notes, USDT probes, packed symbols, and the machine code
// of its functions.

#include <eventspace/error.h>
#include "monitors/probing/code/entry_check.h"
#include "monitors/probing/symbols/packed_symbols.h"
#include "tests/fuzz/fuzz.h"
#include "tests/monitors/probing/small_elf.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) try {
  using namespace eventspace;
  const Bytes bytes = fuzz::bytes_of(data, size);
  (void)unpacked_symbols(bytes);
  ElfImage image(std::vector<std::byte>(bytes.begin(), bytes.end()));
  for (const ElfImage::Section& section : image.sections())
    if (image.content(section).size() > size) std::abort();
  std::string build_id = image.build_id();
  auto functions = functions_of(image.functions());
  auto probes = user_probes_of(image);
  const ModuleSymbols module{std::move(image), std::move(build_id), std::move(functions), std::move(probes)};
  const EntryCheck check(module);
  (void)check.callers_of([](const Function&) { return true; });
  for (const Function& function : module.functions)
    if (to_string(check.refusal_of(function)) == "?") std::abort();
  return 0;
} catch (const eventspace::ConfigurationError&) {
  return 0;
}

std::vector<std::string> eventspace::fuzz::seeds() {
  using testing_probing::SmallElf;
  const std::string code(
      "\x55\x48\x89\xe5\x48\x8d\x15\xf5\x0f\0\0\x48\x63\x04\xba\x48\x01\xd0\xff\xe0\xc9\xc3\xeb\xe8", 24);
  const std::string texts("app\0begin\0-4@%edi\0", 18);
  return {SmallElf()
              .code(code)
              .data(SmallElf::bytes_of(0x1014 - 0x2000))
              .function("f", 0x1000, 22)
              .function("f.cold", 0x1016, 2)
              .note("GNU", 3, "\x12\x34")
              .note("stapsdt", 3, SmallElf::user_probe(0x1004, 0x3000, 0x4000, texts))
              .section(".stapsdt.base", SHT_PROGBITS, "x")
              .section(".gnu_debugdata", SHT_PROGBITS,
                       std::string("\xfd"
                                   "7zXZ\0",
                                   6))
              .text(),
          SmallElf().text(), SmallElf().text().substr(0, 64)};
}
