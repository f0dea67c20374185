#!/bin/sh
# sbt by its Maven coordinate: sh tests/tools/sbt.sh <tasks>, from the root, after `make build` once.
# Only the first of the JVM's two compilers, and one thread that collects garbage: a build of a
# minute does not earn back the second.
. ./.build/machine.env
coordinate=org.scala-sbt:sbt-launch:$(sed -n 's/^sbt\.version=//p' project/build.properties)
launcher=$(.venv/bin/jgo --ignore-config --system-java --resolver python --timeout 60 \
  info path "$coordinate") && [ -f "$launcher" ] || {
  echo "$launcher" >&2
  echo "[error] $coordinate could not be downloaded" >&2
  exit 1
}
exec java -XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=240m -Duser.home="${HOME:-.build}" -XX:+UseSerialGC -Xms256m -Xmx1500m -Xss4m -Dsbt.server.autostart=false -Dsbt.supershell=false \
  -Dsbt.color=false -jar "$launcher" "$@"
