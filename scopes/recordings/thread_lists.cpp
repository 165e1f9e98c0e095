#include "scopes/recordings/thread_lists.h"

#include <algorithm>

#include "scopes/tree/local_ids.h"
#include "tuplespace/parsing/leb128.h"

namespace eventspace::recording {
namespace {

constexpr std::size_t max_bytes = std::size_t{1} << 24;

void put(std::uint64_t number, std::vector<std::byte>& bytes) {
  leb128::write(number, [&bytes](std::byte byte) { bytes.push_back(byte); });
}

/// Reads numbers from untrusted bytes.
class Numbers {
 public:
  explicit Numbers(Bytes bytes) : bytes_(bytes) {}

  [[nodiscard]] std::size_t left() const noexcept { return bytes_.size(); }
  std::optional<std::uint32_t> next() {
    const auto number = leb128::take(bytes_);
    return number && *number <= UINT32_MAX ? std::optional(static_cast<std::uint32_t>(*number))
                                           : std::nullopt;
  }

 private:
  Bytes bytes_;
};

// Reads one list: `use` gets each thread. Returns the first number of the list, or nothing if it is not a
// list.
template <class Use>
std::optional<std::uint32_t> for_each_thread(Numbers& numbers, Use use) {
  const auto head = numbers.next();
  if (!head) return std::nullopt;
  std::uint64_t thread = 0;
  for (std::uint32_t i = 0; i < *head / 2; ++i) {
    const auto step = numbers.next();
    if (!step || (i > 0 && *step == 0) || thread + *step > UINT32_MAX) return std::nullopt;
    thread += *step;
    use(static_cast<std::uint32_t>(thread));
  }
  return head;
}

}  // namespace

// Writes twice the number of threads, plus 1 if there is a rest; then each thread less its predecessor.
void ThreadLists::add(const ChunkContent& content) {
  if (are_dropped_) return;
  put(2 * content.threads.size() + (content.has_rest ? 1 : 0), bytes_);
  std::uint32_t before = 0;
  for (const std::uint32_t thread : content.threads) {
    put(thread - before, bytes_);
    before = thread;
  }
  if (bytes_.size() <= max_bytes) return;
  are_dropped_ = true;
  bytes_ = {};
}

std::optional<ReadThreadLists> ReadThreadLists::read(Bytes bytes, std::size_t chunks) {
  ReadThreadLists lists;
  Numbers numbers(bytes);
  for (std::size_t i = 0; i < chunks; ++i) {
    lists.starts_.push_back(bytes.size() - numbers.left());
    if (!for_each_thread(numbers, [](std::uint32_t) {})) return std::nullopt;
  }
  if (numbers.left() != 0) return std::nullopt;
  lists.bytes_.assign(bytes.begin(), bytes.end());
  return lists;
}

bool ReadThreadLists::concerns(std::size_t place, std::span<const std::uint32_t> threads, bool or_own) const {
  Numbers numbers(Bytes(bytes_).subspan(starts_.at(place)));
  bool has_one = false;
  const auto head = for_each_thread(numbers, [&](std::uint32_t thread) {
    has_one = has_one || (or_own && is_local_id(thread)) || std::ranges::binary_search(threads, thread);
  });
  return has_one || (head.value_or(1) & 1) != 0;
}

}  // namespace eventspace::recording
