#include "monitors/servers/mpi_library.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <string_view>

#include "monitors/servers/find_program.h"
#include "tuplespace/system/error.h"

namespace eventspace {
namespace {

struct Implementation {
  MpiChoice choice;
  std::string_view name;                         ///< in the name of our library, and of the choice
  std::string_view package;                      ///< Debian's, with its mpi.h
  std::array<std::string_view, 3> of_launchers;  ///< one of them is in the names of its launchers
  std::string_view library;                      ///< with which programs are linked
};
constexpr std::array implementations{
    Implementation{
        MpiChoice::openmpi, "openmpi", "libopenmpi-dev", {"orterun", "prterun", "openmpi"}, "libmpi.so.40"},
    Implementation{
        MpiChoice::mpich, "mpich", "libmpich-dev", {"hydra", "mpich", "mpiexec.gforker"}, "libmpich.so.12"},
};

// The names of the libraries that a program is linked with lie near the beginning of its file.
std::string beginning_of(const std::filesystem::path& file) {
  constexpr std::size_t most = 1 << 20;
  std::string bytes(most, '\0');
  std::ifstream in(file, std::ios::binary);
  in.read(bytes.data(), static_cast<std::streamsize>(most));
  bytes.resize(static_cast<std::size_t>(std::max<std::streamsize>(in.gcount(), 0)));
  return bytes;
}

MpiChoice mpi_of(const std::filesystem::path& program) {
  std::error_code error;
  const std::filesystem::path file = std::filesystem::canonical(program, error);
  if (error || !std::filesystem::is_regular_file(file, error)) return MpiChoice::none;
  const std::string name = file.filename().string();
  for (const Implementation& one : implementations) {
    const auto is_in_name = [&name](std::string_view part) { return name.find(part) != std::string::npos; };
    if (std::ranges::any_of(one.of_launchers, is_in_name)) return one.choice;
  }
  const std::string bytes = beginning_of(file);
  if (!bytes.starts_with("\177ELF")) return MpiChoice::none;
  for (const Implementation& one : implementations) {
    if (bytes.find(one.library) != std::string::npos) return one.choice;
  }
  return MpiChoice::none;
}

}  // namespace

MpiChoice mpi_choice(const std::string& text) {
  if (text == "auto") return MpiChoice::detect;
  if (text == "none") return MpiChoice::none;
  for (const Implementation& one : implementations) {
    if (text == one.name) return one.choice;
  }
  throw ConfigurationError(
      fmt::format("--mpi: '{}' is not known; allowed: auto, openmpi, mpich, none", text));
}

MpiChoice detect_mpi(const std::vector<std::string>& command) {
  constexpr std::size_t most_words = 64;
  for (std::size_t i = 0; i < std::min(command.size(), most_words); ++i) {
    const auto program = find_program(command[i]);
    const MpiChoice found = program ? mpi_of(*program) : MpiChoice::none;
    if (found != MpiChoice::none) return found;
  }
  return MpiChoice::none;
}

std::optional<std::filesystem::path> find_mpi_library(MpiChoice choice,
                                                      const std::vector<std::string>& command) {
  const MpiChoice chosen = choice == MpiChoice::detect ? detect_mpi(command) : choice;
  const auto* const one = std::ranges::find(implementations, chosen, &Implementation::choice);
  if (one == implementations.end()) return std::nullopt;
  const std::string name = fmt::format("libeventspace-{}.so", one->name);
  if (auto file = find_library(name)) return file;
  if (choice == MpiChoice::detect) return std::nullopt;
  throw EnvironmentError(
      fmt::format("--mpi {}: {} is not installed with this program; build EventSpace where the mpi.h of this "
                  "MPI is installed (Debian: {}), or use --mpi none",
                  one->name, name, one->package));
}

}  // namespace eventspace
