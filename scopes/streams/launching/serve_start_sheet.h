#pragma once

#include <iosfwd>

namespace eventspace::streams {

/// Becomes the process of a network that a start sheet describes, which the parent in the tree has written to
/// `input`, and runs until the network ends. An internal process starts its own children, and tells the
/// front-end which could not be started; for a back-end on another machine it starts the back-end's command.
/// `eventspace serve --streams-on-input` is this function; a tool that has filters or commands of its own
/// names itself as LaunchOptions::internal, and calls it.
///
/// Returns the exit status. Throws ConfigurationError for an input that is no start sheet, and
/// EnvironmentError if the process cannot listen or attach.
int serve_start_sheet(std::istream& input);

}  // namespace eventspace::streams
