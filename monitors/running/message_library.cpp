#include "monitors/running/message_library.h"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <string_view>

#include <eventspace/error.h>
#include "monitors/servers/find_program.h"
#include "tuplespace/system/file_beginning.h"

namespace eventspace {
namespace {

struct Implementation {
  MessageLibrary choice;
  std::string_view name;                         ///< in the names of our library and of the option
  std::string_view package;                      ///< Debian's package with its header
  std::array<std::string_view, 3> of_launchers;  ///< parts of its launchers' names; may be empty
  std::string_view library;                      ///< with which programs are linked
  std::string_view header;
};
constexpr std::array implementations{
    Implementation{MessageLibrary::openmpi,
                   "openmpi",
                   "libopenmpi-dev",
                   {"orterun", "prterun", "openmpi"},
                   "libmpi.so.40",
                   "mpi.h"},
    Implementation{MessageLibrary::mpich,
                   "mpich",
                   "libmpich-dev",
                   {"hydra", "mpich", "mpiexec.gforker"},
                   "libmpich.so.12",
                   "mpi.h"},
    Implementation{MessageLibrary::pvm, "pvm", "pvm-dev", {}, "libpvm3.so.3", "pvm3.h"},
};

constexpr std::size_t max_words = 64;  // of a command that are checked

// Whether the file names a dynamic linker; a statically linked program does not. `bytes`: the beginning of
// the file.
bool has_interpreter(const std::string& bytes) {
  Elf64_Ehdr header{};
  if (bytes.size() < sizeof header) return true;
  std::memcpy(&header, bytes.data(), sizeof header);
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_phentsize != sizeof(Elf64_Phdr)) return true;
  for (std::size_t i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr part{};
    if (header.e_phoff > bytes.size() || bytes.size() - header.e_phoff < (i + 1) * sizeof part) return true;
    std::memcpy(&part, bytes.data() + header.e_phoff + i * sizeof part, sizeof part);
    if (part.p_type == PT_INTERP) return true;
  }
  return false;
}

bool has_inside(const std::filesystem::path& file, std::string_view text) {
  constexpr std::uintmax_t most = 256 << 20;
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(file, error);
  if (error || size > most) return false;
  std::string bytes(size, '\0');
  std::ifstream in(file, std::ios::binary);
  in.read(bytes.data(), static_cast<std::streamsize>(size));
  return bytes.find(text) != std::string::npos;
}

// The functions of MPI have both names in the symbol table at the end.
bool has_mpi_inside(const std::filesystem::path& file, const std::string& beginning) {
  return !has_interpreter(beginning) && has_inside(file, "PMPI_Init");
}

// If the PVM library is linked statically, its messages are in the program, which may otherwise be linked
// dynamically. The text is composed here so that this program does not contain it.
bool has_pvm_inside(const std::filesystem::path& file, const std::string& beginning) {
  const std::string message = std::string("libpvm ") + "[t%x]";
  return beginning.find("libpvm3.so") == std::string::npos && has_inside(file, message);
}

// The file of a program, with links followed; empty if it is not a program.
std::filesystem::path file_of(const std::filesystem::path& program) {
  std::error_code error;
  const std::filesystem::path file = std::filesystem::canonical(program, error);
  return error || !std::filesystem::is_regular_file(file, error) ? std::filesystem::path() : file;
}

MessageLibrary mpi_of_launcher(const std::filesystem::path& file) {
  const std::string name = file.filename().string();
  for (const Implementation& one : implementations) {
    const auto is_in_name = [&name](std::string_view part) {
      return !part.empty() && name.find(part) != std::string::npos;
    };
    if (std::ranges::any_of(one.of_launchers, is_in_name)) return one.choice;
  }
  return MessageLibrary::none;
}

MessageLibrary library_of(const std::filesystem::path& program) {
  const std::filesystem::path file = file_of(program);
  if (file.empty()) return MessageLibrary::none;
  if (const MessageLibrary launched = mpi_of_launcher(file); launched != MessageLibrary::none)
    return launched;
  // The names of its linked libraries are near the beginning.
  const std::string bytes = beginning_of_file(file);
  if (!bytes.starts_with("\177ELF")) return MessageLibrary::none;
  for (const Implementation& one : implementations) {
    if (bytes.find(one.library) != std::string::npos) return one.choice;
  }
  return MessageLibrary::none;
}

}  // namespace

MessageLibrary message_library_named(const std::string& text) {
  if (text == "auto") return MessageLibrary::detect;
  if (text == "none") return MessageLibrary::none;
  for (const Implementation& one : implementations) {
    if (text == one.name && one.choice != MessageLibrary::pvm) return one.choice;
  }
  throw ConfigurationError(fmt::format("--mpi: unknown MPI '{}'; known: auto, openmpi, mpich, none", text));
}

MessageLibrary detect_message_library(const std::vector<std::string>& command) {
  for (std::size_t i = 0; i < std::min(command.size(), max_words); ++i) {
    const auto program = find_program(command[i]);
    const MessageLibrary found = program ? library_of(*program) : MessageLibrary::none;
    if (found != MessageLibrary::none) return found;
  }
  return MessageLibrary::none;
}

std::optional<std::size_t> find_open_mpi_launcher(const std::vector<std::string>& command) {
  for (std::size_t i = 0; i < std::min(command.size(), max_words); ++i) {
    const auto program = find_program(command[i]);
    if (program && mpi_of_launcher(file_of(*program)) == MessageLibrary::openmpi) return i;
  }
  return std::nullopt;
}

std::optional<StaticProgram> find_static_program(const std::vector<std::string>& command) {
  for (std::size_t i = 0; i < std::min(command.size(), max_words); ++i) {
    const auto program = find_program(command[i]);
    if (!program) continue;
    const std::string bytes = beginning_of_file(*program);
    if (!bytes.starts_with("\177ELF")) continue;
    if (has_mpi_inside(*program, bytes)) return StaticProgram{*program, "MPI"};
    if (has_pvm_inside(*program, bytes)) return StaticProgram{*program, "PVM"};
  }
  return std::nullopt;
}

std::optional<std::filesystem::path> find_preloaded_library(MessageLibrary choice,
                                                            const std::vector<std::string>& command) {
  const MessageLibrary chosen = choice == MessageLibrary::detect ? detect_message_library(command) : choice;
  const auto* const one = std::ranges::find(implementations, chosen, &Implementation::choice);
  if (one == implementations.end()) return std::nullopt;
  const std::string name = fmt::format("libeventspace-{}.so", one->name);
  if (auto file = find_library(name)) return file;
  if (choice == MessageLibrary::detect) return std::nullopt;
  const std::string option =
      one->choice == MessageLibrary::pvm ? "--pvm" : fmt::format("--mpi {}", one->name);
  throw EnvironmentError(
      fmt::format("{}: {} is not installed with this program; build EventSpace with the matching {} "
                  "installed (Debian: {}), or use --mpi none",
                  option, name, one->header, one->package));
}

}  // namespace eventspace
