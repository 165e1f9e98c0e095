#include "monitors/cli/colour_option.h"

#include <CLI/CLI.hpp>

#include "monitors/cli/checked_values.h"
#include "monitors/cli/options.h"

namespace eventspace {

void add_colour(CLI::App& app, ColourUse& use) {
  add_choice(app, "--color", use,
             {{"auto", ColourUse::automatic}, {"always", ColourUse::always}, {"never", ColourUse::never}},
             "Use colours; auto: on a terminal, unless NO_COLOR is set [auto]")
      ->group(common_options);
}

}  // namespace eventspace
