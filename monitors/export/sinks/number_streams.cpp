#include "monitors/export/sinks/number_streams.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "tuplespace/parsing/leb128.h"

namespace eventspace::exports {

void NumberStreams::add(std::size_t stream, Row row) {
  if (stream >= streams_.size()) streams_.resize(stream + 1);
  Stream& to = streams_[stream];
  row = row.first(std::min(row.size(), max_numbers));
  put(to, row.size());
  for (const std::uint64_t number : row) put(to, number);
}

void NumberStreams::put(Stream& stream, std::uint64_t number) {
  leb128::write(number, [&](std::byte byte) {
    if (stream.end.size() == numbers_bytes) write_block(stream);
    stream.end.push_back(byte);
  });
}

// The next block gets its place now, because this block stores it.
void NumberStreams::write_block(Stream& stream) {
  if (!file_) file_.emplace(directory_);
  const auto take_place = [this] { return std::exchange(next_block_, next_block_ + block_bytes); };
  if (!stream.first) stream.first = stream.offset = take_place();
  const std::uint64_t next = take_place();
  const auto link = std::as_bytes(std::span(&next, 1));
  stream.end.insert(stream.end.end(), link.begin(), link.end());
  file_->write(stream.offset, stream.end);
  stream.end.clear();
  stream.offset = next;
  ++stream.blocks;
}

/// Reads the numbers of one stream, from the file first.
class NumberStreams::Reader {
 public:
  Reader(const Stream& stream, const UnnamedFile* file)
      : stream_(&stream), file_(file), next_(stream.first.value_or(0)), blocks_left_(stream.blocks) {}

  [[nodiscard]] bool has_more() {
    while (left_.empty() && !is_at_end_) load();
    return !left_.empty();
  }
  std::uint64_t number() {
    const auto next = [this]() -> std::optional<std::byte> {
      if (!has_more()) return std::nullopt;
      const std::byte first = left_.front();
      left_ = left_.subspan(1);
      return first;
    };
    return leb128::read(next).value_or(0);
  }

 private:
  void load() {
    if (blocks_left_ == 0) {
      is_at_end_ = true;
      left_ = stream_->end;
      return;
    }
    block_.resize(block_bytes);
    file_->read(next_, block_);
    std::memcpy(&next_, block_.data() + numbers_bytes, sizeof next_);
    left_ = std::span<const std::byte>(block_).first(numbers_bytes);
    --blocks_left_;
  }

  const Stream* stream_;
  const UnnamedFile* file_;
  std::uint64_t next_;
  std::uint64_t blocks_left_;
  std::vector<std::byte> block_;
  std::span<const std::byte> left_;
  bool is_at_end_{false};
};

void NumberStreams::read(std::size_t stream, const Use& use) const {
  if (stream >= streams_.size()) return;
  Reader reader(streams_[stream], file_ ? &*file_ : nullptr);
  std::vector<std::uint64_t> row;
  while (reader.has_more()) {
    row.resize(reader.number());
    for (std::uint64_t& number : row) number = reader.number();
    if (!use(row)) return;
  }
}

}  // namespace eventspace::exports
