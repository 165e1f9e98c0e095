#include "monitors/cli/program.h"
#include "monitors/commands.h"

int main(int argc, char** argv) { return eventspace::run_program(eventspace::all_commands(), argc, argv); }
