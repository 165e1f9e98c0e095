#include "scopes/recordings/repair_part.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "tuplespace/system/shared_file.h"

namespace eventspace::recording {
namespace {

constexpr std::size_t sum_bytes = 4;
constexpr std::size_t stripes = 2;

/// How a body is cut.
class Cut {
 public:
  Cut(std::size_t stored, std::uint16_t pieces) noexcept
      : stored_(stored), pieces_(pieces), length_((stored + pieces - 1) / pieces) {}

  [[nodiscard]] std::size_t pieces() const noexcept { return pieces_; }
  [[nodiscard]] std::size_t length() const noexcept { return length_; }
  [[nodiscard]] std::size_t stripes_used() const noexcept { return std::min(stripes, pieces_); }
  [[nodiscard]] std::size_t repair_bytes() const noexcept {
    return pieces_ * sum_bytes + stripes_used() * length_;
  }
  /// The piece, which is empty after the end of the body.
  template <class Octet>
  [[nodiscard]] std::span<Octet> piece(std::span<Octet> body, std::size_t number) const noexcept {
    const std::size_t at = std::min(number * length_, stored_);
    return body.subspan(at, std::min(length_, stored_ - at));
  }
  template <class Octet>
  [[nodiscard]] std::span<Octet> stripe(std::span<Octet> repair, std::size_t number) const noexcept {
    const std::size_t place = stripes_used() == 1 ? 0 : (number + pieces_) % stripes;
    return repair.subspan(place * length_, length_);
  }
  template <class Octet>
  [[nodiscard]] std::span<Octet> sum(std::span<Octet> repair, std::size_t of_piece) const noexcept {
    return repair.subspan(stripes_used() * length_ + of_piece * sum_bytes, sum_bytes);
  }

 private:
  std::size_t stored_;
  std::size_t pieces_;
  std::size_t length_;
};

std::array<std::byte, sum_bytes> sum_of(Bytes piece) noexcept {
  constexpr std::uint64_t spread = 0x9e3779b97f4a7c15;  // spreads each bit of the sum over the four bytes
  const std::uint64_t sum = checksum_of(checksum_seed, piece) * spread >> 32;
  std::array<std::byte, sum_bytes> octets{};
  for (std::size_t i = 0; i < sum_bytes; ++i) octets[i] = static_cast<std::byte>(sum >> 8 * i);
  return octets;
}

void add_to(std::span<std::byte> sum, Bytes piece) noexcept {
  for (std::size_t i = 0; i < piece.size(); ++i) sum[i] ^= piece[i];
}

// The damaged piece of each stripe; nothing if a stripe has more than one.
std::optional<std::vector<std::size_t>> find_damaged(Bytes stored, Bytes repair, const Cut& cut) {
  std::array<bool, stripes> has_one{};
  std::vector<std::size_t> damaged;
  for (std::size_t i = 0; i < cut.pieces(); ++i) {
    if (std::ranges::equal(sum_of(cut.piece(stored, i)), cut.sum(repair, i))) continue;
    if (std::exchange(has_one[i % stripes], true)) return std::nullopt;
    damaged.push_back(i);
  }
  return damaged;
}

}  // namespace

// The sums take 4 bytes per piece, and the stripes take two pieces. The total is least at this number.
std::uint16_t pieces_of(std::size_t stored) noexcept {
  const double best = std::sqrt(static_cast<double>(stored) * stripes / sum_bytes);
  return static_cast<std::uint16_t>(std::clamp(best, 1.0, static_cast<double>(max_pieces)));
}

std::size_t repair_bytes(std::size_t stored, std::uint16_t pieces) noexcept {
  return Cut(stored, pieces).repair_bytes();
}

void write_repair(Bytes stored, std::uint16_t pieces, std::vector<std::byte>& to) {
  const Cut cut(stored.size(), pieces);
  const std::size_t at = to.size();
  to.resize(at + cut.repair_bytes());
  const std::span<std::byte> repair = std::span(to).subspan(at);
  for (std::size_t i = 0; i < cut.pieces(); ++i) {
    const Bytes piece = cut.piece(stored, i);
    std::ranges::copy(sum_of(piece), cut.sum(repair, i).begin());
    add_to(cut.stripe(repair, i % stripes), piece);
  }
}

bool mend(std::span<std::byte> stored, Bytes repair, std::uint16_t pieces) {
  const Cut cut(stored.size(), pieces);
  if (repair.size() != cut.repair_bytes()) return false;
  const auto damaged = find_damaged(stored, repair, cut);
  if (!damaged) return false;
  for (const std::size_t number : *damaged) {
    const Bytes stripe = cut.stripe(repair, number % stripes);
    std::vector<std::byte> made(stripe.begin(), stripe.end());
    for (std::size_t i = number % stripes; i < cut.pieces(); i += stripes) {
      if (i != number) add_to(made, cut.piece(Bytes(stored), i));
    }
    const std::span<std::byte> piece = cut.piece(stored, number);
    std::copy_n(made.begin(), piece.size(), piece.begin());
  }
  return true;
}

}  // namespace eventspace::recording
