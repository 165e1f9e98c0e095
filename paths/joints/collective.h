#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

namespace eventspace {

/// What a collective operation does with what its participants contribute. In each kind everyone waits until
/// all have contributed: nobody's operation ends before the last one's has begun.
///
/// | kind       | who contributes a tuple                | who gets what |
/// |------------|----------------------------------------|---------------------------------------------------|
/// | barrier    | nobody; all contribute the empty tuple | all: the empty tuple | | broadcast  | the root |
/// all: its tuple                                    | | gather     | all | the root: all tuples, packed
/// (packed_tuples.h)    | | scatter    | the root: a tuple for each, packed     | each: its own | | reduce |
/// all                                    | the root: the tuples, combined field by field     | | all-reduce
/// | all                                    | all: the same                                     |
///
/// Who contributes nothing gives the empty tuple, and so gets who gets nothing.
enum class CollectiveKind : std::uint8_t { barrier, broadcast, gather, scatter, reduce, all_reduce };

/// In the order of the enumeration; the words are those of pathmaps.
inline constexpr std::array<std::pair<std::string_view, CollectiveKind>, 6> collective_kinds{
    {{"barrier", CollectiveKind::barrier},
     {"broadcast", CollectiveKind::broadcast},
     {"gather", CollectiveKind::gather},
     {"scatter", CollectiveKind::scatter},
     {"reduce", CollectiveKind::reduce},
     {"all-reduce", CollectiveKind::all_reduce}}};

constexpr std::string_view to_string(CollectiveKind kind) noexcept {
  return collective_kinds.at(static_cast<std::size_t>(kind)).first;
}
/// Whether one of the participants is its root.
constexpr bool has_root(CollectiveKind kind) noexcept {
  return kind != CollectiveKind::barrier && kind != CollectiveKind::all_reduce;
}
constexpr bool has_tuples(CollectiveKind kind) noexcept { return kind != CollectiveKind::barrier; }
constexpr bool combines(CollectiveKind kind) noexcept {
  return kind == CollectiveKind::reduce || kind == CollectiveKind::all_reduce;
}

}  // namespace eventspace
