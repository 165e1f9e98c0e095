#include "paths/links/local_endpoint.h"

#include "tuplespace/sockets/session_socket.h"

namespace eventspace {

// The whole endpoint is the name of the server, like for servers at ports: both kinds are in one table.
std::string address_of(const std::string& endpoint, std::string_view session) {
  return is_local_endpoint(endpoint) ? SessionSocket(session, endpoint).endpoint() : endpoint;
}

}  // namespace eventspace
