#include "monitors/cli/program.h"
#include "monitors/commands.h"
#include "monitors/this_build.h"

int main(int argc, char** argv) {
  const eventspace::BuildInfo build = eventspace::this_build();
  return eventspace::run_program(eventspace::all_commands(build), build, argc, argv);
}
