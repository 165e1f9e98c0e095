#pragma once

#include "scopes/wrappers/scope_wrapper.h"

namespace example {

/// A template for scope wrappers: `sample: {every: 10}` lets every tenth event pass.
eventspace::ScopeWrapperInfo sample_wrapper();

}  // namespace example
