#pragma once

#include "scopes/scope_wrappers.h"

namespace example {

/// `sample: {every: 10}` lets every tenth event pass: a template for scope wrappers.
eventspace::ScopeWrapperInfo sample_wrapper();

}  // namespace example
