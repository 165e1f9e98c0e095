#pragma once

// Private to monitors/.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace eventspace {

/// The implementation of MPI whose calls are to be recorded in a command that is run.
enum class MpiChoice : std::uint8_t { detect, openmpi, mpich, none };

/// Returns the choice of this name: auto, openmpi, mpich, none. Throws ConfigurationError for another one.
MpiChoice mpi_choice(const std::string& text);

/// Returns which MPI a command uses: openmpi or mpich, or none if that cannot be seen. The first word that is
/// a program decides that is a launcher of one of them (such as mpirun), by the name of its file, links
/// followed, or that is linked with one of them.
MpiChoice detect_mpi(const std::vector<std::string>& command);

/// Returns which word of `command` is a launcher of Open MPI, by the name of its file, links followed;
/// nullopt if none is, as when a script starts it.
std::optional<std::size_t> find_open_mpi_launcher(const std::vector<std::string>& command);

/// Returns the library to be preloaded into `command`, an absolute path; nullopt for none. Throws
/// EnvironmentError if an MPI is chosen by name and its library is not installed.
std::optional<std::filesystem::path> find_mpi_library(MpiChoice choice,
                                                      const std::vector<std::string>& command);

/// Returns the first word of `command` that is a program with MPI inside, linked statically: a library that
/// is preloaded does not see its calls.
std::optional<std::filesystem::path> find_static_mpi_program(const std::vector<std::string>& command);

}  // namespace eventspace
