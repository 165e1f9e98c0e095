#include <stdexcept>

#include "scopes/wrappers/plugin.h"

// A wrapper that fails before it has said what it is.
namespace eventspace {
namespace {
ScopeWrapperInfo speechless() { throw std::runtime_error("words fail me"); }
}  // namespace
}  // namespace eventspace

EVENTSPACE_SCOPE_WRAPPER(eventspace::speechless)
