#pragma once

// Private to monitors/.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace eventspace {

/// The message library whose calls are to be recorded in a command that is run: an implementation of MPI, or
/// PVM.
enum class MessageLibrary : std::uint8_t { detect, openmpi, mpich, pvm, none };

/// Returns the choice of this name, of option --mpi: auto, openmpi, mpich, none. Throws ConfigurationError
/// for another one.
MessageLibrary message_library_named(const std::string& text);

/// Returns which of them a command uses, or none if that cannot be seen. The first word that is
/// a program decides that is a launcher of one of them (such as mpirun), by the name of its file, links
/// followed, or that is linked with one of them.
MessageLibrary detect_message_library(const std::vector<std::string>& command);

/// Returns which word of `command` is a launcher of Open MPI, by the name of its file, links followed;
/// nullopt if none is, as when a script starts it.
std::optional<std::size_t> find_open_mpi_launcher(const std::vector<std::string>& command);

/// Returns the library to be preloaded into `command`, an absolute path; nullopt for none. Throws
/// EnvironmentError if a message library is chosen by name and ours for it is not installed.
std::optional<std::filesystem::path> find_preloaded_library(MessageLibrary choice,
                                                            const std::vector<std::string>& command);

/// A program with a message library inside: a library that is preloaded does not see its calls.
struct StaticProgram {
  std::filesystem::path file;
  std::string_view library;  ///< "MPI" or "PVM"
};
/// Returns the first word of `command` that is one.
std::optional<StaticProgram> find_static_program(const std::vector<std::string>& command);

}  // namespace eventspace
