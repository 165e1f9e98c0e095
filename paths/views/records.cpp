#include "paths/views/records.h"

#include <cstring>
#include <iterator>

namespace eventspace {
namespace {

// The tuples may lie at any address, so each is copied bytewise.
void append_tuples(std::vector<TraceTuple>& records, std::span<const std::byte> tuples) {
  for (; !tuples.empty(); tuples = tuples.subspan(sizeof(TraceTuple))) {
    TraceTuple tuple;
    std::memcpy(&tuple, tuples.data(), sizeof tuple);
    records.push_back(tuple);
  }
}

}  // namespace

std::size_t Records::size() const noexcept {
  std::size_t bytes = 0;
  for (const RecordBlock& block : blocks_) bytes += block.bytes.size();
  return bytes / sizeof(TraceTuple) + own_.size();
}

std::vector<std::span<const std::byte>> Records::pieces() const {
  std::vector<std::span<const std::byte>> pieces;
  pieces.reserve(blocks_.size() + 1);
  for (const RecordBlock& block : blocks_) pieces.push_back(block.bytes);
  if (!own_.empty()) pieces.push_back(std::as_bytes(std::span(own_)));
  return pieces;
}

void Records::clear() noexcept {
  blocks_.clear();
  own_.clear();
}

// Records of own_ come after all blocks, so they become a block themselves before another one follows.
void Records::append(RecordBlock block) {
  make_own_a_block();
  blocks_.push_back(std::move(block));
}

void Records::append(Records&& other) {
  if (!other.blocks_.empty()) make_own_a_block();
  if (empty()) {
    *this = std::move(other);
  } else {
    blocks_.insert(blocks_.end(), std::make_move_iterator(other.blocks_.begin()),
                   std::make_move_iterator(other.blocks_.end()));
    if (own_.empty()) {
      own_ = std::move(other.own_);
    } else {
      own_.insert(own_.end(), other.own_.begin(), other.own_.end());
    }
  }
  other = {};
}

void Records::put_in_front(std::span<const RecordBlock> blocks) {
  blocks_.insert(blocks_.begin(), blocks.begin(), blocks.end());
}

// The vector is reserved, not resized: clearing it would take longer than copying.
void Records::collect() const {
  std::vector<TraceTuple> all;
  all.reserve(size());
  for (const RecordBlock& block : blocks_) append_tuples(all, block.bytes);
  all.insert(all.end(), own_.begin(), own_.end());
  own_ = std::move(all);
  blocks_.clear();
}

void Records::make_own_a_block() {
  if (own_.empty()) return;
  const auto kept = std::make_shared<const std::vector<TraceTuple>>(std::exchange(own_, {}));
  blocks_.push_back({kept, std::as_bytes(std::span(*kept))});
}

}  // namespace eventspace
