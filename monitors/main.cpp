#include "monitors/cli/program.h"
#include "monitors/commands.h"
#include "monitors/probing/nodes/group_filter.h"
#include "monitors/this_build.h"

int main(int argc, char** argv) {
  eventspace::register_group_filters();  // for networks in which it is a process
  const eventspace::BuildInfo build = eventspace::this_build();
  return eventspace::run_program(eventspace::all_commands(build), build, argc, argv);
}
