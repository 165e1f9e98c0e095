#pragma once

#include "scopes/wrappers/scope_wrapper.h"

namespace example {

/// `sample: {every: 10}` lets every tenth event pass: a template for scope wrappers.
eventspace::ScopeWrapperInfo sample_wrapper();

}  // namespace example
