#include "tuplespace/shared/element_peek.h"

#include <cstring>
#include <optional>

#include <eventspace/error.h>
#include "tuplespace/shared/element_file.h"
#include "tuplespace/shared/element_file_layout.h"
#include "tuplespace/shared/shared_element_layout.h"
#include "tuplespace/system/mapping.h"
#include "tuplespace/system/shared_file.h"

namespace eventspace {
namespace {

using namespace shared_element;

// Copies memory that other processes may write at the same time, so that each word is one that was written.
// The caller checks afterwards whether the words belong together.
template <class Plain>
Plain copy_of(const Plain& shared) noexcept {
  static_assert(sizeof(Plain) % sizeof(std::uint64_t) == 0);
  constexpr std::size_t words = sizeof(Plain) / sizeof(std::uint64_t);
  const auto* const from = reinterpret_cast<const std::uint64_t*>(&shared);
  std::uint64_t copied[words];
  for (std::size_t word = 0; word < words; ++word)
    copied[word] = __atomic_load_n(from + word, __ATOMIC_RELAXED);
  Plain plain;
  std::memcpy(&plain, copied, sizeof plain);
  return plain;
}

class Peek {
 public:
  Peek(const std::byte* memory, const Geometry& geometry)
      : memory_(memory), geometry_(geometry), head_(*reinterpret_cast<const Head*>(memory)) {}

  // Two changes bring Control::active back to what it was. So a state counts only if it was the same twice.
  void look(PeekedElement& element) const {
    constexpr int max_looks = 100;
    std::optional<State> before;
    for (int i = 0; i < max_looks; ++i) {
      const std::optional<State> now = state();
      if (before && now && *before == *now) return describe(element, *now);
      before = now;
    }
  }

 private:
  struct State {
    std::uint32_t active;
    std::uint64_t written, discarded, dropped, refused, oldest, newest;
    std::uint32_t kept, kept_bytes;
    friend bool operator==(const State&, const State&) = default;
  };

  [[nodiscard]] std::optional<State> state() const {
    const std::uint32_t active = head_.control.active.load(std::memory_order_acquire);
    const Ledger ledger = copy_of(head_.control.ledgers[(active & second_ledger) != 0 ? 1 : 0]);
    const Account account = copy_of(head_.accounts[(active & second_account) != 0 ? 1 : 0]);
    const std::uint32_t window = ledger.end - ledger.first;
    if (window > geometry_.rows || account.gaps > window || ledger.kept_bytes > geometry_.room)
      return std::nullopt;
    State state{active, ledger.written,        account.discarded, account.dropped, account.refused, 0,
                0,      window - account.gaps, ledger.kept_bytes};
    if (state.kept > geometry_.most || !is_sum_within(state, ledger.written)) return std::nullopt;
    if (window > 0) {
      state.oldest = sequence_of(ledger.first);
      state.newest = sequence_of(ledger.end - 1);
    }
    std::atomic_thread_fence(std::memory_order_acquire);
    if (head_.control.active.load(std::memory_order_relaxed) != active) return std::nullopt;
    return state;
  }

  // Whether the kept, discarded and dropped tuples are at most as many as the written tuples.
  static bool is_sum_within(const State& state, std::uint64_t written) noexcept {
    std::uint64_t sum = 0;
    return !__builtin_add_overflow(state.discarded, state.dropped, &sum) &&
           !__builtin_add_overflow(sum, state.kept, &sum) && sum <= written;
  }

  // The mask keeps the row inside the memory, whatever the ledger holds.
  [[nodiscard]] std::uint64_t sequence_of(std::uint32_t number) const noexcept {
    const std::byte* const row = memory_ + sizeof(Head) + (number & (geometry_.rows - 1)) * sizeof(Row);
    return __atomic_load_n(&reinterpret_cast<const Row*>(row)->sequence, __ATOMIC_RELAXED);
  }

  static void describe(PeekedElement& element, const State& state) {
    element.is_known = true;
    const std::uint64_t taken = state.written - state.discarded - state.dropped - state.kept;
    element.counts = {state.written, taken, state.discarded, state.dropped, state.refused, state.kept};
    element.kept_bytes = state.kept_bytes;
    element.oldest = state.oldest;
    element.newest = state.newest;
  }

  const std::byte* memory_;
  const Geometry& geometry_;
  const Head& head_;
};

}  // namespace

std::vector<PeekedElement> peek_elements(const std::filesystem::path& file) {
  ElementFileView view(file);  // checks everything that the rest relies on
  const OwnFile opened = open_own_file(file, FileAccess::read, "element file", [&](const std::string& why) {
    throw EnvironmentError("element file " + file.string() + " is refused: " + why);
  });
  if (opened.bytes != view.bytes()) throw EnvironmentError("element file " + file.string() + " was replaced");
  const Mapping mapping(opened.handle, opened.bytes, false, file);
  std::size_t offset = element_file_layout::elements_offset(view.elements().size());
  std::vector<PeekedElement> peeked;
  for (const SharedElement& element : view.elements()) {
    PeekedElement& found = peeked.emplace_back();
    found.config = element.config();
    found.process = view.identity().process;
    found.room = element.room();
    const Geometry geometry(element.config(), element.room());
    if (offset + geometry.total > mapping.size()) break;
    Peek(mapping.data() + offset, geometry).look(found);
    offset += geometry.total;
  }
  return peeked;
}

}  // namespace eventspace
