#include "paths/wire/msgpack_entries.h"

namespace eventspace::msgpack_body {

void Body::refuse() { throw BodyError(); }

std::uint64_t Body::number(std::size_t octets) {
  std::uint64_t number = 0;
  for (const std::byte octet : take(octets)) number = (number << 8) | std::to_integer<std::uint64_t>(octet);
  return number;
}

Body::Integer Body::integer(std::uint8_t format) {
  if (format >= 0xe0) return {true, ~std::uint64_t{0xff} | format};
  if (format >= 0xcc && format <= 0xcf) return {false, number(std::size_t{1} << (format - 0xcc))};
  if (format < 0xd0 || format > 0xd3) refuse();
  const std::size_t octets = std::size_t{1} << (format - 0xd0);
  const std::size_t unused_bits = 64 - 8 * octets;
  const auto value = static_cast<std::int64_t>(number(octets) << unused_bits) >> unused_bits;
  return {value < 0, static_cast<std::uint64_t>(value)};
}

std::size_t Body::array_size(std::uint8_t format) {
  if (format >= 0x90 && format <= 0x9f) return format & 0x0f;
  if (format == 0xdc) return number(2);
  if (format == 0xdd) return number(4);
  refuse();
}

std::size_t Body::text_size(std::uint8_t format) {
  if (format >= 0xa0 && format <= 0xbf) return format & 0x1f;
  if (format == 0xd9) return number(1);
  if (format == 0xda) return number(2);
  if (format == 0xdb) return number(4);
  refuse();
}

std::size_t Body::bytes_size(std::uint8_t format) {
  if (format == 0xc4) return number(1);
  if (format == 0xc5) return number(2);
  if (format == 0xc6) return number(4);
  refuse();
}

double Body::real(std::uint8_t format) {
  if (format == 0xcb) return std::bit_cast<double>(number(8));
  if (format == 0xca) return std::bit_cast<float>(static_cast<std::uint32_t>(number(4)));
  refuse();
}

Entries::Type Entries::type() const {
  const std::uint8_t format = body_->look();
  if (!more()) Body::refuse();
  if (format <= 0x7f || format >= 0xe0 || (format >= 0xcc && format <= 0xd3)) return Type::integer;
  if ((format >= 0x90 && format <= 0x9f) || format == 0xdc || format == 0xdd) return Type::array;
  if ((format >= 0xa0 && format <= 0xbf) || (format >= 0xd9 && format <= 0xdb)) return Type::text;
  if (format == 0xc2 || format == 0xc3) return Type::boolean;
  if (format >= 0xc4 && format <= 0xc6) return Type::bytes;
  if (format == 0xca || format == 0xcb) return Type::real;
  return Type::unknown;
}

}  // namespace eventspace::msgpack_body
