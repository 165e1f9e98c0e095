#include "scopes/recordings/part_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "tuplespace/parsing/number_in.h"

namespace eventspace::recording {
namespace {

constexpr std::size_t digits = 4;

// The part with this name, or nothing if it is another file's.
std::optional<std::uint32_t> part_of(const std::string& name, const std::string& stem,
                                     const std::string& extension) {
  const std::size_t length = stem.size() + 1 + digits + extension.size();
  if (name.size() != length || !name.starts_with(stem + ".") || !name.ends_with(extension))
    return std::nullopt;
  const auto part = number_in<std::uint32_t>(std::string_view(name).substr(stem.size() + 1, digits));
  return part && *part > 0 ? part : std::nullopt;
}

}  // namespace

std::filesystem::path name_of_part(const std::filesystem::path& file, std::uint32_t part) {
  std::filesystem::path named = file;
  named.replace_filename(fmt::format("{}.{:04}{}", file.stem().string(), part, file.extension().string()));
  return named;
}

std::vector<PartFile> find_parts(const std::filesystem::path& file) {
  std::vector<PartFile> parts;
  if (!file.has_filename()) return parts;
  const std::filesystem::path folder = file.has_parent_path() ? file.parent_path() : ".";
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const auto part =
        part_of(entry->path().filename().string(), file.stem().string(), file.extension().string());
    std::error_code is_gone;
    if (part && entry->is_regular_file(is_gone)) parts.push_back({*part, name_of_part(file, *part)});
  }
  std::ranges::sort(parts, {}, &PartFile::part);
  return parts;
}

}  // namespace eventspace::recording
