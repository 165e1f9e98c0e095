#include <stdexcept>

#include "scopes/wrappers/plugin.h"

// A wrapper whose description function throws.
namespace eventspace {
namespace {
ScopeWrapperInfo speechless() { throw std::runtime_error("words fail me"); }
}  // namespace
}  // namespace eventspace

EVENTSPACE_SCOPE_WRAPPER(eventspace::speechless)
