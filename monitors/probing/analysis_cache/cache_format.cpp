#include "monitors/probing/analysis_cache/cache_format.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <span>
#include <string_view>
#include <utility>

#include "monitors/probing/code/instruction.h"
#include "tuplespace/parsing/leb128.h"

namespace eventspace {
namespace {

// To be raised when the format changes, or when an EntryCheck would find something else in the same module.
constexpr std::uint64_t version = 2;
constexpr std::uint64_t magic = 0x73676e69646e6966;  // "findings", as in the names of the files

/// A hash that takes words. FNV takes a byte at a time, which is too slow for whole programs.
class WordHash {
 public:
  void add(std::uint64_t word) noexcept {
    constexpr std::uint64_t odd = 0x9e3779b97f4a7c15;  // 2^64 / golden ratio
    hash_ = std::rotl((hash_ ^ word) * odd, 29);
  }
  void add(Bytes bytes) noexcept {
    std::size_t at = 0;
    for (; at + 8 <= bytes.size(); at += 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, bytes.data() + at, sizeof word);
      add(word);
    }
    std::uint64_t rest = 0;
    if (at < bytes.size()) std::memcpy(&rest, bytes.data() + at, bytes.size() - at);
    add(rest);
    add(std::uint64_t{bytes.size()});
  }
  [[nodiscard]] std::uint64_t result() const noexcept { return hash_ ^ (hash_ >> 32); }

 private:
  std::uint64_t hash_{0x243f6a8885a308d3};  // from the digits of pi
};

// Numbers in files keep their meaning: a new reason gets a new number.
static_assert(static_cast<int>(EntryRefusal::none) == 0 &&
              static_cast<int>(EntryRefusal::too_much_code) == 17);

/// The version of the decoder: another version of this project, or of Zydis, may find something else in a
/// module.
std::uint64_t version_of_decoding() {
  WordHash hash;
  hash.add(std::as_bytes(std::span(std::string_view(EVENTSPACE_VERSION))));
  hash.add(decoder_version());
  return hash.result();
}

std::uint64_t checksum_of(Bytes bytes) {
  WordHash hash;
  hash.add(bytes);
  return hash.result();
}

class Writer {
 public:
  void number(std::uint64_t value) {
    leb128::write(value, [this](std::byte byte) { bytes_.push_back(byte); });
  }
  void text(const std::string& value) {
    number(value.size());
    const auto bytes = std::as_bytes(std::span(value));
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  }
  std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  std::vector<std::byte> bytes_;
};

/// Reads numbers and texts. After a fault, such as reading past the end, all numbers are 0.
class Reader {
 public:
  explicit Reader(Bytes bytes) : left_(bytes) {}

  std::uint64_t number() {
    if (const auto value = leb128::take(left_)) return *value;
    fail();
    return 0;
  }
  std::string text() {
    const std::uint64_t size = number();
    if (size > left_.size()) {
      fail();
      return {};
    }
    const Bytes found = left_.first(size);
    left_ = left_.subspan(size);
    return {reinterpret_cast<const char*>(found.data()), found.size()};
  }
  /// The number of entries of a list, with at least `bytes_of_one` bytes each.
  std::size_t count(std::size_t bytes_of_one) {
    const std::uint64_t count = number();
    if (count <= left_.size() / bytes_of_one) return count;
    is_faulty_ = true;
    return 0;
  }
  /// The next number of a sorted sequence.
  std::uint64_t next(std::uint64_t& last) {
    const std::uint64_t distance = number();
    is_faulty_ |= distance > std::numeric_limits<std::uint64_t>::max() - last;
    return last += distance;
  }
  void require(bool holds) { is_faulty_ |= !holds; }
  [[nodiscard]] bool is_fine() const noexcept { return !is_faulty_ && left_.empty(); }

 private:
  void fail() {
    is_faulty_ = true;
    left_ = {};
  }

  Bytes left_;
  bool is_faulty_{false};
};

// Zigzag encoding: maps small numbers of either sign to small unsigned numbers. The distance of a branch is
// less than 2^33, as its operand has 32 bits.
std::uint64_t folded(std::int64_t distance) {
  return static_cast<std::uint64_t>(distance) << 1 ^ static_cast<std::uint64_t>(distance >> 63);
}

std::int64_t unfolded(std::uint64_t number) {
  return static_cast<std::int64_t>(number >> 1 ^ (~(number & 1) + 1));
}

void write_branches(Writer& writer, const std::vector<EntryAnalysis::Branch>& branches) {
  writer.number(branches.size());
  std::uint64_t last = 0;
  for (const auto& [to, from, is_call] : branches) {
    writer.number(to - std::exchange(last, to));
    writer.number(folded(static_cast<std::int64_t>(from - to)) << 1 | (is_call ? 1 : 0));
  }
}

void read_branches(Reader& reader, std::vector<EntryAnalysis::Branch>& branches) {
  const std::size_t count = reader.count(2);
  branches.reserve(count);
  std::uint64_t last = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t to = reader.next(last);
    const std::uint64_t reached = reader.number();
    const auto from = to + static_cast<std::uint64_t>(unfolded(reached >> 1));
    branches.push_back({to, from, (reached & 1) != 0});
  }
}

void write_refused(Writer& writer, const std::unordered_map<std::uint64_t, EntryRefusal>& refused) {
  std::vector<std::pair<std::uint64_t, EntryRefusal>> sorted(refused.begin(), refused.end());
  std::ranges::sort(sorted);
  writer.number(sorted.size());
  std::uint64_t last = 0;
  for (const auto& [address, refusal] : sorted) {
    writer.number(address - std::exchange(last, address));
    writer.number(static_cast<std::uint64_t>(refusal));
  }
}

void read_refused(Reader& reader, std::unordered_map<std::uint64_t, EntryRefusal>& refused) {
  const std::size_t count = reader.count(2);
  std::uint64_t last = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t address = reader.next(last);
    const std::uint64_t refusal = reader.number();
    reader.require(refusal <= static_cast<std::uint64_t>(EntryRefusal::too_much_code));
    refused.emplace(address, static_cast<EntryRefusal>(refusal));
  }
}

}  // namespace

std::uint64_t fingerprint_of(const ModuleSymbols& module) {
  WordHash hash;
  hash.add(module.image.bytes());
  for (const Function& function : module.functions) {
    hash.add(function.address);
    hash.add(function.size);
  }
  return hash.result();
}

std::vector<std::byte> to_bytes(const AnalysisKey& key, const EntryAnalysis& analysis) {
  Writer writer;
  writer.number(key.fingerprint);
  writer.text(key.build_id);
  write_branches(writer, analysis.branches);
  writer.number(analysis.table_targets.size());
  std::uint64_t last = 0;
  for (const std::uint64_t target : analysis.table_targets)
    writer.number(target - std::exchange(last, target));
  write_refused(writer, analysis.refused);
  return sealed(writer.take());
}

std::vector<std::byte> sealed(std::vector<std::byte> rest) {
  const std::array<std::uint64_t, 4> head{magic, version, version_of_decoding(), checksum_of(rest)};
  static_assert(sizeof head == head_bytes);
  const auto bytes = std::as_bytes(std::span(head));
  rest.insert(rest.begin(), bytes.begin(), bytes.end());
  return rest;
}

std::optional<EntryAnalysis> analysis_in(Bytes bytes, const AnalysisKey& key) {
  std::array<std::uint64_t, head_bytes / sizeof(std::uint64_t)> head{};
  if (bytes.size() < sizeof head) return std::nullopt;
  std::memcpy(head.data(), bytes.data(), sizeof head);
  const Bytes body = bytes.subspan(sizeof head);
  if (head[0] != magic || head[1] != version || head[2] != version_of_decoding() ||
      head[3] != checksum_of(body))
    return std::nullopt;
  Reader reader(body);
  AnalysisKey found;
  found.fingerprint = reader.number();
  found.build_id = reader.text();
  if (found != key) return std::nullopt;
  EntryAnalysis analysis;
  read_branches(reader, analysis.branches);
  const std::size_t targets = reader.count(1);
  std::uint64_t last = 0;
  for (std::size_t i = 0; i < targets; ++i) analysis.table_targets.push_back(reader.next(last));
  read_refused(reader, analysis.refused);
  return reader.is_fine() ? std::optional(std::move(analysis)) : std::nullopt;
}

}  // namespace eventspace
