#!/bin/sh
# sbt by its Maven coordinate: sh tests/tools/sbt.sh <tasks>, from the root, after `make build` once.
. ./.build/machine.env
version=$(sed -n 's/^sbt\.version=//p' project/build.properties)
exec .venv/bin/jgo --ignore-config --system-java --resolver python --timeout 60 \
  run "org.scala-sbt:sbt-launch:$version" -- \
  -Xms256m -Xmx1500m -Xss4m -Dsbt.server.autostart=false -Dsbt.supershell=false -Dsbt.color=false -- "$@"
