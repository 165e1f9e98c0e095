#include "tuplespace/segment_layout.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "tuplespace/error.h"
#include "tuplespace/shared_file.h"

namespace eventspace::segment_layout {
namespace {

constexpr std::uint64_t align(std::uint64_t offset) noexcept { return (offset + 63) / 64 * 64; }

bool is_plain(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
}

}  // namespace

Offsets offsets(std::uint64_t thread_count, std::uint64_t trace_count, std::uint64_t ring_bytes) noexcept {
  Offsets at{};
  at.threads = sizeof(Header) + sizeof(Lifecycle);
  at.states = align(at.threads + thread_count * sizeof(std::uint32_t));
  at.traces = at.states + thread_count * sizeof(ThreadState);
  at.rings = at.traces + trace_count * sizeof(TraceEntry);
  at.total = at.rings + ring_bytes;
  return at;
}

std::uint64_t checksum(Header header, std::span<const std::byte> threads, std::span<const std::byte> traces) {
  header.checksum = 0;
  const std::uint64_t of_header = checksum_of(checksum_seed, std::as_bytes(std::span(&header, 1)));
  return checksum_of(checksum_of(of_header, threads), traces);
}

std::string escaped(std::string_view name) {
  std::string result;
  for (const char c : name) {
    if (is_plain(c)) {
      result += c;
    } else {
      result += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return result;
}

std::string file_prefix(std::string_view session, std::string_view node) {
  std::string prefix = fmt::format("eventspace.{}.{}.", ::geteuid(), escaped(session));
  if (!node.empty()) prefix += escaped(node) + ".";
  return prefix;
}

std::vector<std::filesystem::path> find_files(const std::filesystem::path& directory,
                                              std::string_view prefix) {
  std::vector<std::filesystem::path> found;
  std::error_code error;
  for (std::filesystem::directory_iterator it(directory, error), end; !error && it != end;
       it.increment(error)) {
    if (it->path().filename().string().starts_with(prefix)) found.push_back(it->path());
  }
  if (error && error != std::errc::no_such_file_or_directory) {
    throw EnvironmentError::from_errno(
        fmt::format("cannot look for the files of processes in {}", directory.string()), error.value());
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::vector<std::filesystem::path> find_files(std::string_view session, std::string_view node,
                                              const std::filesystem::path& directory,
                                              bool (*wanted)(const std::filesystem::path&)) {
  auto found = find_files(directory, file_prefix(session, node));
  std::erase_if(found, [wanted](const auto& file) { return file.extension() == ".new" || !wanted(file); });
  return found;
}

}  // namespace eventspace::segment_layout
