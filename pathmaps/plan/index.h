#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <utility>
#include <vector>

namespace eventspace {

/// Typed indexes for the vectors of a Plan. The index of a thread and the index of a path have different
/// types, so that one cannot be used in place of the other.
///
/// An Index costs the same as an integer. There is no implicit conversion in either direction: records,
/// segments, scope trees and messages hold plain integers, and the code that reads or writes them converts.
/// Values of these types can be used in several threads like integers. Only IndexedVector::at throws, apart
/// from std::bad_alloc; nothing blocks.
///
///     const PathPlan& path = plan.paths[PathIndex(record.path)];
///     for (const ThreadIndex thread : plan.threads.indices()) ...

/// The position, from 0, of a `Part` (such as ThreadPlan) in the vector of the plan that holds all of them.
template <class Part>
class Index {
 public:
  constexpr Index() noexcept = default;
  constexpr explicit Index(std::size_t number) noexcept : number_(number) {}

  [[nodiscard]] constexpr std::size_t number() const noexcept { return number_; }
  /// Returns the number as records and scope trees hold it. The conversion is safe: the limits on pathmaps
  /// keep every vector of a plan far below 2^32 entries.
  [[nodiscard]] constexpr std::uint32_t number32() const noexcept {
    return static_cast<std::uint32_t>(number_);
  }
  [[nodiscard]] constexpr Index next() const noexcept { return Index(number_ + 1); }

  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 sees a null pointer in it
  friend constexpr auto operator<=>(const Index&, const Index&) noexcept = default;

  /// Writes the number to any stream type.
  template <class Stream>
  friend Stream& operator<<(Stream& stream, const Index& index) {
    stream << index.number_;
    return stream;
  }

 private:
  std::size_t number_{0};
};

/// The indexes in [first, end), for range-based for loops.
template <class Part>
class IndexRange {
 public:
  class Iterator {
   public:
    using value_type = Index<Part>;
    using difference_type = std::ptrdiff_t;
    constexpr Iterator() noexcept = default;
    constexpr explicit Iterator(Index<Part> at) noexcept : at_(at) {}
    constexpr Index<Part> operator*() const noexcept { return at_; }
    constexpr Iterator& operator++() noexcept {
      at_ = at_.next();
      return *this;
    }
    constexpr Iterator operator++(int) noexcept { return Iterator(std::exchange(at_, at_.next())); }
    friend constexpr bool operator==(const Iterator&, const Iterator&) noexcept = default;

   private:
    Index<Part> at_;
  };

  constexpr IndexRange() noexcept = default;
  constexpr IndexRange(Index<Part> first, Index<Part> end) noexcept : first_(first), end_(end) {}

  [[nodiscard]] constexpr Iterator begin() const noexcept { return Iterator(first_); }
  [[nodiscard]] constexpr Iterator end() const noexcept { return Iterator(end_); }
  [[nodiscard]] constexpr std::size_t size() const noexcept { return end_.number() - first_.number(); }
  [[nodiscard]] constexpr bool empty() const noexcept { return first_ == end_; }

 private:
  Index<Part> first_;
  Index<Part> end_;
};

/// A vector that is indexed by Index<Part> only. An entry is the Part itself, or data about it. Has the cost,
/// the thread-safety and the rules for invalidated references of std::vector.
template <class Part, class Entry = Part>
class IndexedVector {
 public:
  using value_type = Entry;
  using reference = typename std::vector<Entry>::reference;
  using const_reference = typename std::vector<Entry>::const_reference;
  using iterator = typename std::vector<Entry>::iterator;
  using const_iterator = typename std::vector<Entry>::const_iterator;

  IndexedVector() = default;
  IndexedVector(std::initializer_list<Entry> entries) : entries_(entries) {}
  explicit IndexedVector(std::size_t count, const Entry& entry = {}) : entries_(count, entry) {}

  [[nodiscard]] reference operator[](Index<Part> index) { return entries_[index.number()]; }
  [[nodiscard]] const_reference operator[](Index<Part> index) const { return entries_[index.number()]; }
  /// Throws std::out_of_range if there is no such entry. operator[] does not check.
  [[nodiscard]] reference at(Index<Part> index) { return entries_.at(index.number()); }
  [[nodiscard]] const_reference at(Index<Part> index) const { return entries_.at(index.number()); }
  /// Returns true if there is such an entry. Check a number from another process before using operator[].
  [[nodiscard]] bool has(Index<Part> index) const noexcept { return index.number() < entries_.size(); }

  /// Returns the index of the new entry.
  Index<Part> push_back(Entry entry) {
    entries_.push_back(std::move(entry));
    return Index<Part>(entries_.size() - 1);
  }
  void assign(std::size_t count, const Entry& entry) { entries_.assign(count, entry); }

  /// Returns the indexes of all present entries, ascending. Entries added later are not included.
  [[nodiscard]] IndexRange<Part> indices() const noexcept { return {Index<Part>(0), end_index()}; }
  /// Returns the index that the next push_back will return.
  [[nodiscard]] Index<Part> end_index() const noexcept { return Index<Part>(entries_.size()); }
  /// Returns the index of `entry`. REQUIRES: `entry` is a reference into this vector.
  [[nodiscard]] Index<Part> index_of(const Entry& entry) const noexcept {
    return Index<Part>(static_cast<std::size_t>(&entry - entries_.data()));
  }

  [[nodiscard]] std::size_t size() const noexcept { return entries_.size(); }
  [[nodiscard]] bool empty() const noexcept { return entries_.empty(); }
  [[nodiscard]] reference front() { return entries_.front(); }
  [[nodiscard]] const_reference front() const { return entries_.front(); }
  [[nodiscard]] reference back() { return entries_.back(); }
  [[nodiscard]] const_reference back() const { return entries_.back(); }
  [[nodiscard]] iterator begin() noexcept { return entries_.begin(); }
  [[nodiscard]] const_iterator begin() const noexcept { return entries_.begin(); }
  [[nodiscard]] iterator end() noexcept { return entries_.end(); }
  [[nodiscard]] const_iterator end() const noexcept { return entries_.end(); }

 private:
  std::vector<Entry> entries_;
};

}  // namespace eventspace

template <class Part>
struct std::hash<eventspace::Index<Part>> {
  [[nodiscard]] std::size_t operator()(const eventspace::Index<Part>& index) const noexcept {
    return std::hash<std::size_t>{}(index.number());
  }
};
