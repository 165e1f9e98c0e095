#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "monitors/probing/symbols/elf_image.h"

namespace eventspace {

/// A function of a module: a program or a shared library.
struct Function {
  static constexpr std::size_t max_aliases = 64;  ///< limit; more are dropped

  std::string name;                  ///< the linker's name; if there are several, the most public one
  std::vector<std::string> aliases;  ///< its other names
  std::uint64_t address{0};          ///< in the file
  std::uint64_t size{0};             ///< in bytes; 0: unknown
  bool is_resolver{false};           ///< see ElfImage::Symbol
};

/// A probe that the author of a program has put into it for tracers (USDT, `<sys/sdt.h>`).
struct UserProbe {
  std::string provider;
  std::string name;
  std::string arguments;       ///< as the compiler wrote them: "-4@%edi 8@%rax"
  std::uint64_t address{0};    ///< the address of a `nop`, in the file
  std::uint64_t semaphore{0};  ///< 0: none
};

/// Merges symbols into functions, sorted by address. If an address has several names, the first global one is
/// the name, otherwise the first. The size is the largest.
std::vector<Function> functions_of(const std::vector<ElfImage::Symbol>& symbols);

/// Reads the notes of USDT probes. Truncated and unterminated notes are skipped.
std::vector<UserProbe> user_probes_of(const ElfImage& image);

/// The symbols of a module: functions from its symbol tables, from its packed symbols (packed_symbols.h), and
/// from the file of debugging information that has the same build-id.
struct ModuleSymbols {
  ElfImage image;
  std::string build_id;
  std::vector<Function> functions;  ///< sorted by address
  std::vector<UserProbe> user_probes;
  bool is_trusted{false};  ///< WholeFile::is_trusted, of the module's own file
};

/// Reads a module. `debug_folder` holds files of debugging information by their build-ids. Throws
/// EnvironmentError or ConfigurationError with the file's name.
ModuleSymbols read_module(const std::filesystem::path& file,
                          const std::filesystem::path& debug_folder = "/usr/lib/debug/.build-id");

}  // namespace eventspace
