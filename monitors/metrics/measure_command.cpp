#include "monitors/cli/command.h"
#include "monitors/metrics/measurable.h"
#include "monitors/metrics/measure_monitor.h"
#include "monitors/metrics/measure_options.h"

namespace eventspace {

Command measure_command(const CommandContext& /*context*/) {
  const CommandGuide guide{
      .group = CommandGroup::watching,
      .place = 9,
      .examples = {{"eventspace measure app.yaml Mean_iteration_time", "for each process, each second"},
                   {"eventspace measure app.yaml", "what can be measured now"},
                   {"eventspace measure app.yaml Send_volume --mode since-last-per-second --objects 'p*'",
                    "bytes a second that these processes send"},
                   {"eventspace measure app.yaml --alert 'Imbalance > 0.3 for 5s'",
                    "ends with status 1 once the imbalance was above 30 % for five seconds"}},
      .statuses = {{exit_found_wrong, "an alert was raised"},
                   {exit_unreachable, "no event was received, and no view was whole"}}};
  return {"measure", "Measure metrics of a running program or a recording",
          with_options<MeasureOptions, MeasureOptions&>(add_measure_options,
                                                        [](MeasureOptions& options) {
                                                          complete(options);
                                                          return options.is_list() ? list_measurable(options)
                                                                                   : measure(options);
                                                        }),
          guide};
}

}  // namespace eventspace
