#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

/// The names of the files of a recording in parts: part 3 of "run.evs" is "run.0003.evs".
namespace eventspace::recording {

inline constexpr std::uint32_t max_parts = 9999;

/// `part`: from 1 to max_parts.
std::filesystem::path name_of_part(const std::filesystem::path& file, std::uint32_t part);

struct PartFile {
  std::uint32_t part{0};
  std::filesystem::path file;
};
/// The regular files in the same folder that are named as parts of `file`, in rising order. Empty if the
/// folder cannot be read.
std::vector<PartFile> find_parts(const std::filesystem::path& file);

}  // namespace eventspace::recording
