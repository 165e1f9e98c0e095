#include <eventspace/path.h>

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include <eventspace/error.h>

namespace eventspace {
namespace {

constexpr std::size_t size_bytes = 4;

void append_size(std::vector<std::byte>& out, std::size_t size) {
  for (std::size_t i = 0; i < size_bytes; ++i) out.push_back(static_cast<std::byte>(size >> (8 * i)));
}

std::size_t read_size(Bytes from) {
  std::size_t size = 0;
  for (std::size_t i = 0; i < size_bytes; ++i) size |= std::to_integer<std::size_t>(from[i]) << (8 * i);
  return size;
}

}  // namespace

Tuple pack_tuples(std::span<const Tuple> tuples) {
  std::vector<std::byte> packed;
  for (const Tuple& tuple : tuples) {
    const Bytes encoded = tuple.encoded();
    if (encoded.size() > UINT32_MAX)
      throw ConfigurationError(fmt::format("a tuple of {} bytes cannot be packed", encoded.size()));
    append_size(packed, encoded.size());
    packed.insert(packed.end(), encoded.begin(), encoded.end());
  }
  return Tuple::of({Bytes(packed)});
}

std::vector<Tuple> unpack_tuples(const Tuple& packed) {
  if (!packed.has_signature({FieldType::bytes}))
    throw ConfigurationError(
        fmt::format("found {} for packed tuples; expected (bytes)", packed.signature().to_string()));
  const Bytes whole = packed.get<Bytes>(0);
  std::vector<Tuple> tuples;
  for (Bytes rest = whole; !rest.empty();) {
    // A size that is cut off is taken as too large, so that one check refuses both.
    const std::size_t size = rest.size() < size_bytes ? SIZE_MAX : read_size(rest);
    if (size > rest.size() - std::min(rest.size(), size_bytes))
      throw ConfigurationError(
          fmt::format("packed tuple {} extends beyond the end of {} bytes", tuples.size(), whole.size()));
    const Bytes encoded = rest.subspan(size_bytes, size);
    tuples.push_back(encoded.empty() ? Tuple() : Tuple::decode(encoded));
    rest = rest.subspan(size_bytes + size);
  }
  return tuples;
}

}  // namespace eventspace
