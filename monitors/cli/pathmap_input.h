#pragma once

#include <filesystem>
#include <string>

#include "pathmaps/pathmap.h"

namespace eventspace {

/// The name of a pathmap that stands for standard input.
inline bool is_standard_input(const std::filesystem::path& pathmap) { return pathmap == "-"; }

/// Like load_plan(), but the first call reads the pathmap `-` from standard input, to its end; later calls
/// use the same text. Reads at most the maximum size of a pathmap; a longer one is a fault. Its includes are
/// relative to the working directory. Blocking. Faults name the file `<stdin>`. Not thread-safe for `-`.
LoadResult load_pathmap(const std::filesystem::path& pathmap, const LoadOptions& options = {});

/// Throws ConfigurationError with advice if `pathmap` is standard input. For commands that pass the pathmap
/// to other processes or read it again: `need` is the end of the message, such as "the servers read it too".
void require_file(const std::filesystem::path& pathmap, const std::string& need);

/// "PART is a part that other pathmaps include (a.yaml and 2 more beside it); name one of those instead", if
/// pathmaps in the same directory include `pathmap`; otherwise empty. Reads these files, at most 1000 and 1
/// MiB of each.
std::string note_on_part(const std::filesystem::path& pathmap);

/// Whether the file is a program or a script, and so no pathmap. Reads at most 4 bytes of it.
bool is_program(const std::filesystem::path& file);

/// For a `pathmap` that is not a pathmap file: describes it as a session without a pathmap, or as a program,
/// with advice. Empty if it is neither. Reads at most 4 bytes of the file.
std::string note_on_stranger(const std::filesystem::path& pathmap);

}  // namespace eventspace
