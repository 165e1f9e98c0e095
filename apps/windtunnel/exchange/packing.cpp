#include "apps/windtunnel/exchange/packing.h"

#include <stdexcept>

namespace eventspace::windtunnel {
namespace {

constexpr unsigned kBits = 7;
constexpr std::uint64_t kMore = 1U << kBits;

}  // namespace

void Packer::add(std::uint64_t number) {
  for (; number >= kMore; number >>= kBits) bytes_.push_back(static_cast<std::byte>(number | kMore));
  bytes_.push_back(static_cast<std::byte>(number));
}

void Packer::add_signed(std::int64_t number) {
  const auto doubled = static_cast<std::uint64_t>(number) << 1U;
  add(number < 0 ? ~doubled : doubled);
}

std::uint64_t Unpacker::next() {
  std::uint64_t number = 0;
  for (unsigned shift = 0; shift < 64 && !rest_.empty(); shift += kBits) {
    const auto byte = std::to_integer<std::uint64_t>(rest_.front());
    rest_ = rest_.subspan(1);
    number |= (byte % kMore) << shift;
    if (byte < kMore) return number;
  }
  throw std::invalid_argument("packed numbers end too soon, or one is too large");
}

std::int64_t Unpacker::next_signed() {
  const auto folded = next();
  const auto half = folded >> 1U;
  return static_cast<std::int64_t>(folded % 2 == 1 ? ~half : half);
}

}  // namespace eventspace::windtunnel
