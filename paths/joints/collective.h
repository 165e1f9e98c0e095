#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

namespace eventspace {

/// The kinds of collective operations. Each participant calls Path::exchange with its contribution. In every
/// kind all participants wait for each other: no exchange ends before every participant has begun its own.
///
/// | kind       | contribute a tuple              | receive a tuple                                  |
/// |------------|---------------------------------|--------------------------------------------------|
/// | barrier    | none                            | none                                             |
/// | broadcast  | the root                        | all: the root's tuple                            |
/// | gather     | all                             | the root: all tuples, packed (packed_tuples.h)   |
/// | scatter    | the root: one for each, packed  | each participant: its own                        |
/// | reduce     | all                             | the root: the tuples, combined field by field    |
/// | all-reduce | all                             | all: the tuples, combined field by field         |
///
/// A participant without a tuple to contribute passes the empty tuple, and one without a tuple to receive
/// gets the empty tuple.
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
/// Whether one participant has the role of the root.
constexpr bool has_root(CollectiveKind kind) noexcept {
  return kind != CollectiveKind::barrier && kind != CollectiveKind::all_reduce;
}
constexpr bool has_tuples(CollectiveKind kind) noexcept { return kind != CollectiveKind::barrier; }
constexpr bool combines(CollectiveKind kind) noexcept {
  return kind == CollectiveKind::reduce || kind == CollectiveKind::all_reduce;
}

}  // namespace eventspace
