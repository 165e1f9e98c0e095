#include "pathmaps/sessions/run_report.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <type_traits>

#include <eventspace/error.h>
#include "tuplespace/system/plain_text.h"
#include "tuplespace/system/runtime_directory.h"

namespace eventspace {
namespace {

constexpr std::uint64_t magic = 0x5452'5052'4e55'5245;
constexpr std::uint32_t version = 1;
constexpr std::size_t events = 5;
static_assert(static_cast<std::size_t>(RunEvent::failed) + 1 == events);

enum TextState : std::uint32_t { none, being_written, whole };

struct Layout {
  std::uint64_t magic;
  std::uint32_t version;
  std::array<std::uint32_t, events> counts;
  std::uint32_t text_state;
  std::array<char, 476> text;
};
static_assert(sizeof(Layout) == 512 && std::is_trivially_copyable_v<Layout>);

std::uint32_t& count_of(Layout& layout, RunEvent event) noexcept {
  return layout.counts[static_cast<std::size_t>(event)];
}

// Only the first reason is kept.
void write_text(Layout& layout, std::string_view text) noexcept {
  std::uint32_t before = none;
  if (!std::atomic_ref(layout.text_state).compare_exchange_strong(before, being_written)) return;
  text = text.substr(0, layout.text.size() - 1);
  std::ranges::copy(text, layout.text.begin());
  std::atomic_ref(layout.text_state).store(whole, std::memory_order_release);
}

/// The file of $EVENTSPACE_RUN_REPORT, mapped for the time of one report.
class ReportOfRun {
 public:
  ReportOfRun() noexcept {
    const char* const file = std::getenv(RunReport::variable);
    if (file == nullptr || *file == '\0') return;
    const FileHandle handle(::open(file, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    struct stat status {};
    if (!handle.valid() || ::fstat(handle.get(), &status) != 0 || !S_ISREG(status.st_mode) ||
        status.st_uid != ::geteuid() || status.st_size != static_cast<off_t>(sizeof(Layout)))
      return;
    address_ = ::mmap(nullptr, sizeof(Layout), PROT_READ | PROT_WRITE, MAP_SHARED, handle.get(), 0);
  }
  ~ReportOfRun() {
    if (address_ != MAP_FAILED) ::munmap(address_, sizeof(Layout));
  }
  ReportOfRun(const ReportOfRun&) = delete;
  ReportOfRun& operator=(const ReportOfRun&) = delete;

  [[nodiscard]] Layout* layout() const noexcept {
    if (address_ == MAP_FAILED) return nullptr;
    auto* const layout = static_cast<Layout*>(address_);
    return layout->magic == magic && layout->version == version ? layout : nullptr;
  }

 private:
  void* address_{MAP_FAILED};
};

}  // namespace

RunReport::RunReport() : path_(runtime_directory() / fmt::format("run-{}.report", ::getpid())) {
  std::error_code ignored;
  std::filesystem::remove(path_, ignored);  // of a killed process with this id
  const FileHandle handle(::open(path_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!handle.valid())
    throw EnvironmentError::from_errno(fmt::format("cannot make {}", path_.string()), errno);
  Layout layout{};
  layout.magic = magic;
  layout.version = version;
  if (::write(handle.get(), &layout, sizeof layout) != static_cast<ssize_t>(sizeof layout)) {
    const int error = errno;
    std::filesystem::remove(path_, ignored);
    throw EnvironmentError::from_errno(fmt::format("cannot write {}", path_.string()), error);
  }
  memory_ = Mapping(handle, sizeof(Layout), true, path_);
}

RunReport::~RunReport() {
  std::error_code ignored;
  std::filesystem::remove(path_, ignored);
}

RunReport::Counts RunReport::counts() const {
  auto& layout = *reinterpret_cast<Layout*>(memory_.data());
  const auto count = [&layout](RunEvent event) {
    return std::atomic_ref(count_of(layout, event)).load(std::memory_order_relaxed);
  };
  Counts counts{count(RunEvent::loaded), count(RunEvent::has_library), count(RunEvent::is_other_library),
                count(RunEvent::joined), count(RunEvent::failed)};
  if (std::atomic_ref(layout.text_state).load(std::memory_order_acquire) == whole) {
    const auto* const end = std::ranges::find(layout.text, '\0');
    counts.why = escaped({layout.text.begin(), end});
  }
  return counts;
}

void RunReport::tell(RunEvent event, std::string_view why) noexcept {
  const int error = errno;  // the program must not see our errno
  const ReportOfRun report;
  if (Layout* const layout = report.layout()) {
    if (!why.empty()) write_text(*layout, why);
    std::atomic_ref(count_of(*layout, event)).fetch_add(1, std::memory_order_relaxed);
  }
  errno = error;
}

}  // namespace eventspace
