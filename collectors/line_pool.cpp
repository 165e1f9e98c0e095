#include "collectors/line_pool.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace eventspace {
namespace {

constexpr std::size_t page_bytes = 4096;

struct alignas(64) Line {
  std::array<std::byte, 64> bytes;
};

struct alignas(page_bytes) Page {
  std::atomic<std::uint32_t> users{1};  // lines in use, plus one for the thread that takes from the page
  std::uint32_t taken{0};               // accessed by that thread only
  std::array<Line, page_bytes / sizeof(Line) - 1> lines;
};
static_assert(sizeof(Page) == page_bytes);

void leave(Page* page) noexcept {
  // Acquire and release: the thread that deletes the page sees all uses of its lines.
  if (page->users.fetch_sub(1, std::memory_order_acq_rel) == 1) delete page;
}

/// The page from which a thread takes lines.
class OpenPage {
 public:
  OpenPage() = default;
  ~OpenPage() { close(); }
  OpenPage(const OpenPage&) = delete;
  OpenPage& operator=(const OpenPage&) = delete;

  void* take() {
    if (page_ == nullptr || page_->taken == page_->lines.size()) {
      // Allocated first: if it throws, the old page is still in place.
      Page* const fresh = new Page;
      close();
      page_ = fresh;
    }
    page_->users.fetch_add(1, std::memory_order_relaxed);
    return &page_->lines[page_->taken++];
  }

 private:
  void close() noexcept {
    if (page_ != nullptr) leave(page_);
    page_ = nullptr;
  }
  Page* page_{nullptr};
};

}  // namespace

void* take_line() {
  static thread_local OpenPage open;
  return open.take();
}

void give_line_back(void* line) noexcept {
  auto* const bytes = static_cast<std::byte*>(line);
  // Pages are aligned to their size, so the line's address yields its page.
  leave(reinterpret_cast<Page*>(bytes - reinterpret_cast<std::uintptr_t>(bytes) % page_bytes));
}

}  // namespace eventspace
