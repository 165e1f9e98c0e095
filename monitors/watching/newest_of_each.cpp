#include "monitors/watching/newest_of_each.h"

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

ScopeTree newest_of_each(ScopeTree scope) {
  scope.next = false;
  scope.since.reset();
  scope.resume.clear();
  only_gather(scope.root);
  return scope;
}

}  // namespace eventspace
