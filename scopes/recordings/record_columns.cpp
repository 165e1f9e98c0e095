#include "scopes/recordings/record_columns.h"

#include <array>
#include <cstdint>
#include <stdexcept>
#include <unordered_map>
#include <utility>

#include "tuplespace/parsing/leb128.h"

namespace eventspace {
namespace {

// Each column holds one kind of number. The bytes have them in this order.
namespace column {
constexpr std::size_t shape = 0;
constexpr std::size_t new_shapes = 1;
constexpr std::size_t sequence = 2;
constexpr std::size_t start = 3;
constexpr std::size_t duration = 4;
constexpr std::size_t word5 = 5;  // followed by words 6 and 7
constexpr std::size_t count = 8;
}  // namespace column

constexpr std::uint64_t zigzag(std::uint64_t difference) noexcept {
  return difference << 1 ^ (difference >> 63 != 0 ? ~std::uint64_t{0} : 0);
}
constexpr std::uint64_t unzigzag(std::uint64_t number) noexcept {
  return number >> 1 ^ ((number & 1) != 0 ? ~std::uint64_t{0} : 0);
}

void put(std::vector<std::byte>& bytes, std::uint64_t number) {
  leb128::write(number, [&bytes](std::byte byte) { bytes.push_back(byte); });
}

struct Invalid : std::runtime_error {
  Invalid() : std::runtime_error("columns") {}
};

class Numbers {
 public:
  explicit Numbers(Bytes bytes = {}) noexcept : left_(bytes) {}
  std::uint64_t take() {
    if (const auto number = leb128::take(left_)) return *number;
    throw Invalid();
  }
  Bytes take_bytes(std::uint64_t size) {
    if (size > left_.size()) throw Invalid();
    const Bytes taken = left_.first(static_cast<std::size_t>(size));
    left_ = left_.subspan(taken.size());
    return taken;
  }
  [[nodiscard]] bool is_over() const noexcept { return left_.empty(); }

 private:
  Bytes left_;
};

/// The reference values for the words of the next record of a trace element.
struct Source {
  std::uint64_t sequence{0};
  std::uint64_t end{0};
};

/// Records of one trace element with the same word 3: mostly of one verb. Their words 5 to 7 resemble one
/// another.
struct Shape {
  std::uint64_t word2{0};
  std::uint64_t word3{0};
  std::size_t source{0};
  std::array<std::uint64_t, 3> last{};  ///< words 5 to 7
};

struct PairHash {
  std::size_t operator()(const std::pair<std::uint64_t, std::uint64_t>& words) const noexcept {
    constexpr std::uint64_t spread = 0x9e3779b97f4a7c15;  // Knuth's multiplicative hash
    return static_cast<std::size_t>((words.first * spread ^ words.second) * spread >> 7);
  }
};

/// The shapes so far, in the order of their first records. Writer and reader make the same shapes.
class Shapes {
 public:
  std::size_t add(std::uint64_t word2, std::uint64_t word3) {
    constexpr std::uint64_t point = 0xfff0000;  // names the trace element, together with word 2
    const auto [source, is_new] = sources_by_name_.try_emplace({word2, word3 & point}, sources_.size());
    if (is_new) sources_.emplace_back();
    shapes_.push_back({word2, word3, source->second, {}});
    return shapes_.size() - 1;
  }
  [[nodiscard]] std::size_t size() const noexcept { return shapes_.size(); }
  [[nodiscard]] Shape& operator[](std::size_t place) { return shapes_[place]; }
  [[nodiscard]] Source& source_of(const Shape& of) { return sources_[of.source]; }

 private:
  std::vector<Shape> shapes_;
  std::vector<Source> sources_;
  std::unordered_map<std::pair<std::uint64_t, std::uint64_t>, std::size_t, PairHash> sources_by_name_;
};

class Writer {
 public:
  void add(const TraceTuple& record) {
    const auto& w = record.words;
    Shape& of = shapes_[shape_of(w[2], w[3])];
    Source& source = shapes_.source_of(of);
    put(columns_[column::sequence], zigzag(w[0] - source.sequence - 1));
    put(columns_[column::start], zigzag(w[1] - source.end));
    put(columns_[column::duration], zigzag(w[4] - w[1]));
    for (std::size_t i = 0; i < of.last.size(); ++i)
      put(columns_[column::word5 + i], zigzag(w[5 + i] - std::exchange(of.last[i], w[5 + i])));
    source = {w[0], w[4]};
  }

  void write(std::size_t records, std::vector<std::byte>& bytes) const {
    put(bytes, records);
    for (const auto& column : columns_) {
      put(bytes, column.size());
      bytes.insert(bytes.end(), column.begin(), column.end());
    }
  }

 private:
  std::size_t shape_of(std::uint64_t of_word2, std::uint64_t of_word3) {
    if (last_ < shapes_.size() && shapes_[last_].word2 == of_word2 && shapes_[last_].word3 == of_word3) {
      put(columns_[column::shape], last_);
      return last_;
    }
    const auto [known, is_new] = by_words_.try_emplace({of_word2, of_word3}, shapes_.size());
    last_ = known->second;
    put(columns_[column::shape], last_);
    if (is_new) {
      shapes_.add(of_word2, of_word3);
      put(columns_[column::new_shapes], of_word2);
      put(columns_[column::new_shapes], of_word3);
    }
    return last_;
  }

  Shapes shapes_;
  std::unordered_map<std::pair<std::uint64_t, std::uint64_t>, std::size_t, PairHash> by_words_;
  std::size_t last_{0};
  std::array<std::vector<std::byte>, column::count> columns_;
};

class Reader {
 public:
  explicit Reader(Numbers& bytes) {
    for (Numbers& column : columns_) column = Numbers(bytes.take_bytes(bytes.take()));
  }

  TraceTuple next() {
    Shape& of = shapes_[next_shape()];
    Source& source = shapes_.source_of(of);
    TraceTuple record;
    auto& w = record.words;
    w[0] = source.sequence + 1 + difference(column::sequence);
    w[1] = source.end + difference(column::start);
    w[2] = of.word2;
    w[3] = of.word3;
    w[4] = w[1] + difference(column::duration);
    for (std::size_t i = 0; i < of.last.size(); ++i) {
      of.last[i] += difference(column::word5 + i);
      w[5 + i] = of.last[i];
    }
    source = {w[0], w[4]};
    return record;
  }

  void expect_end() const {
    for (const Numbers& column : columns_) {
      if (!column.is_over()) throw Invalid();
    }
  }

 private:
  std::uint64_t difference(std::size_t of) { return unzigzag(columns_[of].take()); }
  std::size_t next_shape() {
    const std::uint64_t number = columns_[column::shape].take();
    if (number > shapes_.size()) throw Invalid();
    if (number < shapes_.size()) return static_cast<std::size_t>(number);
    const std::uint64_t of_word2 = columns_[column::new_shapes].take();
    return shapes_.add(of_word2, columns_[column::new_shapes].take());
  }

  Shapes shapes_;
  std::array<Numbers, column::count> columns_;
};

}  // namespace

void write_columns(std::span<const TraceTuple> records, std::vector<std::byte>& bytes) {
  Writer writer;
  for (const TraceTuple& record : records) writer.add(record);
  writer.write(records.size(), bytes);
}

std::optional<std::vector<TraceTuple>> read_columns(Bytes bytes, std::size_t most) {
  try {
    Numbers all(bytes);
    const std::uint64_t count = all.take();
    // Each record takes at least a byte in each of seven columns.
    if (count > most || count > bytes.size()) return std::nullopt;
    Reader reader(all);
    if (!all.is_over()) return std::nullopt;
    std::vector<TraceTuple> records;
    records.reserve(static_cast<std::size_t>(count));
    for (std::uint64_t i = 0; i < count; ++i) records.push_back(reader.next());
    reader.expect_end();
    return records;
  } catch (const Invalid&) {
    return std::nullopt;
  }
}

}  // namespace eventspace
