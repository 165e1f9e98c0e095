#pragma once

#include <CLI/App.hpp>

#include "monitors/text/colour.h"

namespace eventspace {

/// Adds `--color {auto,always,never}`. `use` must outlive the parsing.
void add_colour(CLI::App& app, ColourUse& use);

}  // namespace eventspace
