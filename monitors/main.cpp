#include "monitors/commands.h"
#include "monitors/program.h"

int main(int argc, char** argv) {
  using namespace eventspace;
  return run_program({check_command(), draw_command(), up_command(), down_command(), serve_command(),
                      run_command(), heartbeat_command(), events_command(), values_command(),
                      collectives_command(), top_command(), tune_command(), segments_command()},
                     argc, argv);
}
