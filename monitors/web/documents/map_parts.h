#pragma once

#include <string>
#include <vector>

#include "monitors/elements/element_rows.h"
#include "monitors/web/documents/parts.h"
#include "monitors/web/map/map_picture.h"
#include "scopes/tree/scope_tree.h"

/// The parts "map" and "map_rates" of a session's document. docs/web.md describes their members. Each
/// function is pure; times are in seconds.
namespace eventspace::web {

/// The nodes, processes and threads of a state, for draw_place_map().
std::vector<MapNode> nodes_of(const Looked& looked);

/// The drawing, with what an inspector says of its things: elements, the ends of paths, and the trees of
/// scopes. `watched` is the scope through which the page watches. Threads are numbered as in the part
/// "names", elements and paths as in the plan.
Json map_part(const MapPicture& picture, const Looked& looked, const ScopeTree& watched);

/// The live numbers of the map: of paths, elements and levels of the watched scope. `elements` are what their
/// hosts say of them; may be empty.
Json map_rates_part(const Looked& looked, const ScopeTree& watched, const std::vector<ElementRow>& elements);

/// The nodes of a tree that a part "map" has at most; the others are counted.
inline constexpr std::size_t max_map_levels = 128;

}  // namespace eventspace::web
