#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace eventspace {

/// The classes of events to which a setting of a CollectSwitch applies.
struct EventClasses {
  static constexpr std::uint8_t all_kinds = 0;
  static constexpr std::uint8_t all_classes = 0xff;

  std::uint8_t kind{all_kinds};           ///< RecordHeader::kind
  std::uint8_t event_class{all_classes};  ///< 0 to 15; only with a kind
  friend bool operator==(const EventClasses&, const EventClasses&) = default;
};

/// The events of a process that are recorded, as a short list. A plain value.
struct CollectState {
  /// The maximum number of listed exceptions.
  static constexpr std::size_t max_exceptions = 64;
  struct Exception {
    EventClasses of;
    std::uint32_t period{1};
    friend bool operator==(const Exception&, const Exception&) = default;
  };

  bool by_program{true};    ///< false if the program itself has switched collecting off
  std::uint32_t period{1};  ///< for all kinds and classes without an exception: one event in `period`; 0
                            ///< means none
  std::vector<Exception> exceptions{};  ///< by kind and class
  bool has_more{false};                 ///< there are exceptions that are not listed

  /// Whether every event is recorded.
  [[nodiscard]] bool is_complete() const noexcept {
    return by_program && period == 1 && exceptions.empty() && !has_more;
  }
  /// Whether every event of this kind is recorded, as far as the list shows.
  [[nodiscard]] bool is_complete_for(std::uint8_t kind) const noexcept;
  friend bool operator==(const CollectState&, const CollectState&) = default;
};

/// Stores for each kind and class of event whether it is recorded: never, always, or one in n. The class of
/// an event is the number in bits 12 to 15 of word 3 of its record, such as the verb of an operation
/// (collectors/record_header.h). In addition, the program has a separate switch for everything.
///
/// Lies in memory that several processes may write to (control_file.h). Every value of the words is valid, so
/// writers can only switch. Lock-free and thread-safe, also between processes; a change reaches recording
/// threads soon, without ordering relative to other memory.
///
///     if (collect_switch.is_complete() || counts.is_due(collect_switch, operation_kind, verb)) record();
class alignas(64) CollectSwitch {
 public:
  static constexpr std::size_t kinds = 256;
  static constexpr std::size_t classes = 16;
  static constexpr std::uint32_t off = 0;
  static constexpr std::uint32_t everything = 1;

  /// Everything is recorded, unless the program forbids it.
  explicit CollectSwitch(bool by_program = true) noexcept;
  CollectSwitch(const CollectSwitch&) = delete;
  CollectSwitch& operator=(const CollectSwitch&) = delete;

  /// Whether every event is recorded. One relaxed load.
  [[nodiscard]] bool is_complete() const noexcept { return reduced_.load(std::memory_order_relaxed) == 0; }
  /// Returns n if one event in n of this kind and class is recorded; 0 if none is.
  [[nodiscard]] std::uint32_t period(std::uint8_t kind, std::uint8_t event_class) const noexcept {
    if ((reduced_.load(std::memory_order_relaxed) & by_program_bit) != 0) return off;
    return period_of(kind, event_class).load(std::memory_order_relaxed);
  }
  [[nodiscard]] CollectState state() const;

  /// The program's own switch.
  void set_by_program(bool on) noexcept;
  /// Sets the period of these events; ignores a class without a kind. With two writers, one wins.
  void set(EventClasses events, std::uint32_t period) noexcept;

 private:
  // reduced_ is 0 if everything is recorded, so that recording threads read one word.
  static constexpr std::uint32_t by_period_bit = 1;
  static constexpr std::uint32_t by_program_bit = 2;
  using Word = std::atomic<std::uint32_t>;
  static_assert(Word::is_always_lock_free && sizeof(Word) == 4);

  [[nodiscard]] const Word& period_of(std::size_t kind, std::size_t event_class) const noexcept {
    return periods_[kind * classes + event_class % classes];
  }
  [[nodiscard]] bool has_all_periods_one() const noexcept;

  Word reduced_;
  alignas(64) std::array<Word, kinds * classes> periods_;  // row 0 is for kinds that are not set individually
};

/// Counts the events of one thread while not all of them are recorded, so that one in n is recorded exactly:
/// the first, then each n-th one after it. Several threads may share one; then they count together. Events of
/// the same class whose kinds differ by a multiple of `counted_kinds` also count together.
class SampleCounts {
 public:
  static constexpr std::size_t counted_kinds = 32;

  /// Counts an event, and returns whether to record it. Never waits.
  [[nodiscard]] bool is_due(const CollectSwitch& collecting, std::uint8_t kind,
                            std::uint8_t event_class) noexcept {
    const std::uint32_t period = collecting.period(kind, event_class);
    if (period <= CollectSwitch::everything) return period != CollectSwitch::off;
    auto& count =
        counts_[kind % counted_kinds * CollectSwitch::classes + event_class % CollectSwitch::classes];
    return count.fetch_add(1, std::memory_order_relaxed) % period == 0;
  }

 private:
  std::array<std::atomic<std::uint32_t>, counted_kinds * CollectSwitch::classes> counts_{};
};

}  // namespace eventspace
