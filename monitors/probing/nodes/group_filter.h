#pragma once

// Private to monitors/.

namespace eventspace {

/// The name of the filter that merges answers of groups (groups/group_answer.h) on their way through the
/// tree. Every process of the network needs it.
inline constexpr const char* group_filter = "group_answers";

/// Adds it to the FilterRegistry, unless it is there. To be called before a network is opened or served.
void register_group_filter();

}  // namespace eventspace
