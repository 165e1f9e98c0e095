#include "monitors/commands.h"
#include "monitors/program.h"

int main(int argc, char** argv) {
  using namespace eventspace;
  return run_program({check_command(), heartbeat_command(), events_command()}, argc, argv);
}
