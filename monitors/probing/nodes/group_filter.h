#pragma once

// Private to monitors/.

namespace eventspace {

/// The names of the filters that merge answers on their way through the tree: those of groups
/// (groups/group_answer.h), and those of listings of functions (listing/module_classes.h). Every process of
/// the network needs them.
inline constexpr const char* group_filter = "group_answers";
inline constexpr const char* listing_filter = "module_classes";

/// Adds them to the FilterRegistry, unless they are there. To be called before a network is opened or served.
void register_group_filters();

}  // namespace eventspace
