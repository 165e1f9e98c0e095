#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace eventspace {

/// The message library of a command whose calls are recorded: an implementation of MPI, or PVM.
enum class MessageLibrary : std::uint8_t { detect, openmpi, mpich, pvm, none };

/// Returns the choice of this name, of option --mpi: auto, openmpi, mpich, none. Throws ConfigurationError
/// for other names.
MessageLibrary message_library_named(const std::string& text);

/// Returns the library that a command uses, or `none` if that cannot be determined. The first word decides
/// that is a program and either a launcher of a library (such as mpirun), by its file name with links
/// followed, or linked with a library.
MessageLibrary detect_message_library(const std::vector<std::string>& command);

/// Returns the index of the word of `command` that is a launcher of Open MPI, by its file name with links
/// followed; nullopt if none is, such as when a script starts it.
std::optional<std::size_t> find_open_mpi_launcher(const std::vector<std::string>& command);

/// Returns the absolute path of the library to preload into `command`; nullopt for none. Throws
/// EnvironmentError if a message library is chosen by name and our library for it is not installed.
std::optional<std::filesystem::path> find_preloaded_library(MessageLibrary choice,
                                                            const std::vector<std::string>& command);

/// A program that is statically linked with a message library: a preloaded library does not see its calls.
struct StaticProgram {
  std::filesystem::path file;
  std::string_view library;  ///< "MPI" or "PVM"
};
/// Returns the first word of `command` that is such a program.
std::optional<StaticProgram> find_static_program(const std::vector<std::string>& command);

}  // namespace eventspace
