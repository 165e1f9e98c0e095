#pragma once

#include "monitors/text/json.h"
#include "monitors/web/steering/trial.h"

namespace eventspace::web {

/// The figures of a trial as JSON. docs/json.md lists the members. Pure.
Json trial_json(const TrialFigures& figures);

}  // namespace eventspace::web
