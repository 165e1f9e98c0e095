#pragma once

#include <string_view>
#include <vector>

#include "monitors/web/documents/page_site.h"

namespace eventspace::web {

/// "session", "pathmap" or "recording".
std::string_view kind_of(const Watched& watched) noexcept;

/// The sessions of this user on this machine, as `eventspace ls` lists them. Reads files and /proc.
/// `common`: how they are watched.
std::vector<OfferedSession> sessions_here(const WatchedSource& common);

}  // namespace eventspace::web
