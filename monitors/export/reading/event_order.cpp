#include "monitors/export/reading/event_order.h"

#include <algorithm>
#include <array>
#include <limits>
#include <queue>
#include <tuple>

#include "monitors/export/reading/unnamed_file.h"

namespace eventspace::exports {
namespace {

constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t always = std::numeric_limits<std::int64_t>::min();

}  // namespace

/// The file with the sorted runs. An event is its begin, end, number and count of words, and its words.
class EventOrder::Spill {
 public:
  static constexpr std::size_t head = 4;

  explicit Spill(const std::filesystem::path& directory) : file_(directory) {}

  void begin_run() { runs_.push_back({.next = size_, .end = size_}); }
  void write(const Kept& kept, Words words) {
    const std::array<std::uint64_t, head> start{static_cast<std::uint64_t>(kept.key.begin),
                                                static_cast<std::uint64_t>(kept.key.end), kept.number,
                                                words.size()};
    buffer_.insert(buffer_.end(), start.begin(), start.end());
    buffer_.insert(buffer_.end(), words.begin(), words.end());
    if (buffer_.size() >= max_buffered) flush();
  }
  void end_run() {
    flush();
    runs_.back().end = size_;
  }

  /// Reads all runs at once, each through a buffer that is small when there are many.
  void merge(const Use& use) {
    const std::size_t each =
        std::max(buffer_bytes / 8 / std::max<std::size_t>(runs_.size(), 1), 2 * (head + max_words));
    const auto is_later = [this](std::size_t a, std::size_t b) {
      return is_before(runs_[b].kept(), runs_[a].kept());
    };
    std::priority_queue<std::size_t, std::vector<std::size_t>, decltype(is_later)> next(is_later);
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      if (fill(runs_[i], each)) next.push(i);
    }
    while (!next.empty()) {
      const std::size_t i = next.top();
      next.pop();
      Run& run = runs_[i];
      const Kept kept = run.kept();
      use(kept.key, Words(run.words).subspan(run.at + head, kept.size));
      run.at += head + kept.size;
      if (fill(run, each)) next.push(i);
    }
  }

 private:
  static constexpr std::size_t max_buffered = std::size_t{1} << 16;   // words
  static constexpr std::size_t buffer_bytes = std::size_t{64} << 20;  // of all runs that are merged

  struct Run {
    std::uint64_t next{0};  // in the file
    std::uint64_t end{0};
    std::vector<std::uint64_t> words{};
    std::size_t at{0};
    [[nodiscard]] Kept kept() const {
      return {{static_cast<std::int64_t>(words[at]), static_cast<std::int64_t>(words[at + 1])},
              words[at + 2],
              0,
              words[at + 3]};
    }
  };

  void flush() {
    const auto bytes = std::as_bytes(std::span(buffer_));
    file_.write(size_, bytes);
    size_ += bytes.size();
    buffer_.clear();
  }

  // Makes sure that a whole event is in the buffer. Returns false at the end of the run.
  bool fill(Run& run, std::size_t capacity) {
    const std::size_t left = run.words.size() - run.at;
    if (left >= head && left >= head + run.words[run.at + 3]) return true;
    if (run.next == run.end) return left >= head;
    run.words.erase(run.words.begin(), run.words.begin() + static_cast<std::ptrdiff_t>(run.at));
    run.at = 0;
    const std::size_t more = std::min<std::size_t>(capacity - left, (run.end - run.next) / 8);
    run.words.resize(left + more);
    const auto into = std::as_writable_bytes(std::span(run.words).subspan(left));
    file_.read(run.next, into);
    run.next += into.size();
    return true;
  }

  UnnamedFile file_;
  std::uint64_t size_{0};
  std::vector<std::uint64_t> buffer_;
  std::vector<Run> runs_;
};

EventOrder::EventOrder(std::filesystem::path directory, const Limits& limits)
    : directory_(std::move(directory)), limits_(limits), earliest_(never), passed_on_(always) {}

EventOrder::~EventOrder() = default;

bool EventOrder::is_before(const Kept& a, const Kept& b) noexcept {
  // Of two events that begin together, the longer may enclose the other.
  return std::tuple(a.key.begin, b.key.end, a.number) < std::tuple(b.key.begin, a.key.end, b.number);
}

EventOrder::Words EventOrder::words_of(const Kept& kept) const {
  return Words(words_).subspan(kept.at, kept.size);
}

void EventOrder::add(const Key& key, Words words) {
  Key placed = key;
  if (placed.begin < passed_on_) {
    placed.begin = passed_on_;
    placed.end = std::max(placed.end, placed.begin);
    ++moved_;
  }
  words = words.first(std::min(words.size(), max_words));
  if (!kept_.empty() && kept_.size() * sizeof(Kept) + (words_.size() + words.size()) * 8 > limits_.bytes)
    spill();
  kept_.push_back({placed, next_number_++, words_.size(), words.size()});
  words_.insert(words_.end(), words.begin(), words.end());
  earliest_ = std::min(earliest_, placed.begin);
}

void EventOrder::spill() {
  if (!spill_) spill_ = std::make_unique<Spill>(directory_);
  std::ranges::sort(kept_, is_before);
  spill_->begin_run();
  for (const Kept& kept : kept_) {
    spill_->write(kept, words_of(kept));
    spilled_bytes_ += 8 * (Spill::head + kept.size);
  }
  spill_->end_run();
  kept_.clear();
  words_.clear();
  earliest_ = never;
}

void EventOrder::pass_on(std::int64_t time, const Use& use) {
  if (spill_ || earliest_ >= time) return;
  const auto later =
      std::partition(kept_.begin(), kept_.end(), [time](const Kept& kept) { return kept.key.begin < time; });
  std::sort(kept_.begin(), later, is_before);
  for (auto kept = kept_.begin(); kept != later; ++kept) use(kept->key, words_of(*kept));
  passed_on_ = std::prev(later)->key.begin;
  // The remaining events move to the front.
  std::vector<std::uint64_t> words;
  earliest_ = never;
  kept_.erase(kept_.begin(), later);
  for (Kept& kept : kept_) {
    const std::size_t at = words.size();
    const Words of = words_of(kept);
    words.insert(words.end(), of.begin(), of.end());
    kept.at = at;
    earliest_ = std::min(earliest_, kept.key.begin);
  }
  words_ = std::move(words);
}

void EventOrder::finish(const Use& use) {
  if (!spill_) return pass_on(never, use);
  if (!kept_.empty()) spill();
  spill_->merge(use);
  spill_.reset();
}

}  // namespace eventspace::exports
