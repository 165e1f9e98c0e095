#include "monitors/probing/analysis_cache/analysis_cache.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include <eventspace/error.h>
#include "tuplespace/system/mapping.h"
#include "tuplespace/system/private_directory.h"
#include "tuplespace/system/transfers.h"

namespace eventspace {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view suffix = ".findings";
constexpr std::uint64_t max_of_one = std::uint64_t{32} << 20;

std::optional<fs::path> directory_of_user() {
  const auto variable = [](const char* name) {
    const char* const value = std::getenv(name);
    return value != nullptr && *value == '/' ? std::optional(fs::path(value)) : std::nullopt;
  };
  if (auto given = variable("XDG_CACHE_HOME")) return given;
  auto home = variable("HOME");
  if (home) *home /= ".cache";
  return home;
}

/// Whether the text can be the name of a file: only the digits of a build-id.
bool is_name(std::string_view build_id) {
  constexpr std::size_t longest = 128;
  return !build_id.empty() && build_id.size() <= longest &&
         build_id.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

bool is_directory_of_user(const fs::path& directory) {
  struct ::stat facts {};
  return ::stat(directory.c_str(), &facts) == 0 && S_ISDIR(facts.st_mode) && facts.st_uid == ::geteuid();
}

/// Makes the directory for caches if needed. Returns whether it belongs to this user.
bool have_caches(const fs::path& directory) {
  std::error_code error;
  if (fs::exists(directory, error)) return is_directory_of_user(directory);
  if (error || !is_directory_of_user(directory.parent_path())) return false;
  make_private_directory(directory);
  return true;
}

/// Returns nullopt if the file is not private to this user. Marks it as used.
std::optional<std::vector<std::byte>> bytes_of(const fs::path& file) {
  const FileHandle handle(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct ::stat facts {};
  if (!handle.valid() || ::fstat(handle.get(), &facts) != 0) return std::nullopt;
  const bool is_own = S_ISREG(facts.st_mode) && facts.st_uid == ::geteuid() && (facts.st_mode & 077) == 0;
  if (!is_own || static_cast<std::uint64_t>(facts.st_size) > max_of_one) return std::nullopt;
  std::vector<std::byte> bytes(static_cast<std::size_t>(facts.st_size));
  if (read_fully(handle.get(), bytes) < bytes.size()) return std::nullopt;
  (void)::futimens(handle.get(), nullptr);
  return bytes;
}

}  // namespace

AnalysisCache AnalysisCache::of_user() {
  std::optional<fs::path> directory = directory_of_user();
  if (!directory) return AnalysisCache(std::nullopt);
  try {
    if (!have_caches(*directory)) return AnalysisCache(std::nullopt);
    *directory /= "eventspace";
    make_private_directory(*directory);
  } catch (const EnvironmentError&) {
    return AnalysisCache(std::nullopt);  // every module is decoded each time
  }
  return AnalysisCache(std::move(directory));
}

EntryCheck AnalysisCache::check_of(const ModuleSymbols& module) const {
  if (!directory_ || !can_decode() || !is_name(module.build_id) || !module.is_trusted)
    return EntryCheck(module);
  const AnalysisKey key{module.build_id, fingerprint_of(module)};
  if (const auto bytes = bytes_of(file_of(key)))
    if (auto analysis = analysis_in(*bytes, key)) return EntryCheck(module, std::move(*analysis));
  EntryCheck check(module);
  write(key, check.analysis());
  return check;
}

fs::path AnalysisCache::file_of(const AnalysisKey& key) const {
  return *directory_ / (key.build_id + std::string(suffix));
}

void AnalysisCache::write(const AnalysisKey& key, const EntryAnalysis& analysis) const {
  const std::vector<std::byte> bytes = to_bytes(key, analysis);
  if (bytes.size() > std::min(limit_, max_of_one)) return;
  const fs::path file = file_of(key);
  std::string draft = file.string() + ".XXXXXX";
  {
    const FileHandle handle(::mkostemp(draft.data(), O_CLOEXEC));  // mode 0600
    if (!handle.valid()) return;
    if (write_fully(handle.get(), bytes) == bytes.size() && ::rename(draft.c_str(), file.c_str()) == 0)
      return make_room();
  }
  ::unlink(draft.c_str());
}

// Drafts, which killed commands have left, count too.
void AnalysisCache::make_room() const {
  struct Kept {
    fs::file_time_type used;
    std::uint64_t bytes;
    fs::path file;
  };
  std::vector<Kept> all;
  std::uint64_t sum = 0;
  std::error_code error;
  for (fs::directory_iterator at(*directory_, error), end; !error && at != end; at.increment(error)) {
    std::error_code gone;
    Kept one{at->last_write_time(gone), at->file_size(gone), at->path()};
    if (gone || one.file.filename().string().find(suffix) == std::string::npos) continue;
    sum += one.bytes;
    all.push_back(std::move(one));
  }
  std::ranges::sort(all, {}, &Kept::used);
  for (const Kept& one : all) {
    if (sum <= limit_) return;
    fs::remove(one.file, error);
    if (!error) sum -= one.bytes;  // also if another command has removed it
  }
}

}  // namespace eventspace
