#pragma once

namespace eventspace {

/// The names of the filters that merge answers on their way through the tree: of orders to groups
/// (groups/group_answer.h), and of listings of functions (listing/module_classes.h). Every process of the
/// network needs them.
inline constexpr const char* group_filter = "group_answers";
inline constexpr const char* listing_filter = "module_classes";

/// Adds the filters to the FilterRegistry if they are missing. To be called before a network is opened or
/// served.
void register_group_filters();

}  // namespace eventspace
