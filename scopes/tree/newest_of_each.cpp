#include "scopes/tree/newest_of_each.h"

#include <utility>

namespace eventspace {
namespace {

void only_gather(ScopeNode& node) {
  if (node.wrapper != "read") {
    node.wrapper = "gather";
    node.parameters.clear();
  }
  for (ScopeNode& child : node.children) only_gather(child);
}

}  // namespace

ScopeTree as_of_newest(ScopeTree scope) {
  scope.next = false;
  scope.most = 0;
  scope.since.reset();
  scope.look = std::chrono::nanoseconds(0);
  scope.resume.clear();
  return scope;
}

ScopeTree newest_of_each(ScopeTree scope) {
  scope = as_of_newest(std::move(scope));
  only_gather(scope.root);
  return scope;
}

}  // namespace eventspace
