#include "monitors/cli/colour_option.h"

#include <CLI/CLI.hpp>

#include "monitors/cli/checked_values.h"

namespace eventspace {

void add_colour(CLI::App& app, ColourUse& use) {
  add_choice(app, "--color", use,
             {{"auto", ColourUse::automatic}, {"always", ColourUse::always}, {"never", ColourUse::never}},
             "Colours of the text; auto: on a terminal, unless NO_COLOR is set [auto]");
}

}  // namespace eventspace
