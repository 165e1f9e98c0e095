#pragma once

#include <iosfwd>

namespace eventspace::streams {

/// Becomes the process of a network that a start sheet describes, which the parent in the tree has written to
/// `input`, and runs until the network ends. An internal process starts its own children, and reports to the
/// front-end children that could not be started. For a back-end on another machine it starts the back-end's
/// command. `eventspace serve --streams-on-input` calls this function; a tool with filters or commands of its
/// own sets itself as LaunchOptions::internal, and calls it.
///
/// Returns the exit status. Throws ConfigurationError if the input is not a valid start sheet, and
/// EnvironmentError if the process cannot listen or attach.
int serve_start_sheet(std::istream& input);

}  // namespace eventspace::streams
