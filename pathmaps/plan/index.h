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

/// Numbers that cannot be mixed up: the number of a thread is another type than the number of a path.
///
/// An Index is a plain number for the compiler's output; there is no implicit conversion in either direction.
/// Records, segments, scope trees and messages hold plain integers: convert where they are read or written.
///
///     const PathPlan& path = plan.paths[PathIndex(record.path)];
///     for (const ThreadIndex thread : plan.threads.indices()) ...

/// The number of a `Part` in the vector that holds all parts of this kind.
template <class Part>
class Index {
 public:
  constexpr Index() noexcept = default;
  constexpr explicit Index(std::size_t number) noexcept : number_(number) {}

  [[nodiscard]] constexpr std::size_t number() const noexcept { return number_; }
  /// The number as records and scope trees hold it. Plans are far smaller than 2^32 parts.
  [[nodiscard]] constexpr std::uint32_t number32() const noexcept {
    return static_cast<std::uint32_t>(number_);
  }
  [[nodiscard]] constexpr Index next() const noexcept { return Index(number_ + 1); }

  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 sees a null pointer in it
  friend constexpr auto operator<=>(const Index&, const Index&) noexcept = default;

  /// Writes the number, to any stream.
  template <class Stream>
  friend Stream& operator<<(Stream& stream, const Index& index) {
    stream << index.number_;
    return stream;
  }

 private:
  std::size_t number_{0};
};

/// The indexes from one up to, but not including, another.
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

/// A vector with one entry for each part of a kind, which only the index of that kind opens. The entry is the
/// part itself, or something that is known of it. Same cost and same thread-safety as std::vector.
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
  /// Throws std::out_of_range for an unknown number.
  [[nodiscard]] reference at(Index<Part> index) { return entries_.at(index.number()); }
  [[nodiscard]] const_reference at(Index<Part> index) const { return entries_.at(index.number()); }
  /// Whether there is an entry with this number. Ask before opening with a number from outside.
  [[nodiscard]] bool has(Index<Part> index) const noexcept { return index.number() < entries_.size(); }

  /// Returns the index of the new entry.
  Index<Part> push_back(Entry entry) {
    entries_.push_back(std::move(entry));
    return Index<Part>(entries_.size() - 1);
  }
  void assign(std::size_t count, const Entry& entry) { entries_.assign(count, entry); }

  /// All indexes, ascending. Entries that are added later are not among them.
  [[nodiscard]] IndexRange<Part> indices() const noexcept { return {Index<Part>(0), end_index()}; }
  /// The index that the next entry will have.
  [[nodiscard]] Index<Part> end_index() const noexcept { return Index<Part>(entries_.size()); }
  /// The index of `entry`, which is a reference into this vector.
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
