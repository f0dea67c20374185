#!/bin/sh
# Finds the Java and the Python that the build runs on, and writes them to .build/machine.env.
# Prints "fit" and the version of Java, or one line that says what is missing and what to do.

java_home() { # version and home of the given java, if it is 17 or 21
  settings=$("$1" -XshowSettings:properties -version 2>&1) || return 1
  version=$(printf '%s\n' "$settings" | sed -n 's/^ *java\.specification\.version = //p')
  case $version in
    17 | 21) printf '%s ' "$version" && printf '%s\n' "$settings" | sed -n 's/^ *java\.home = //p' ;;
    *) return 1 ;;
  esac
}

java_version() { "$1" -version 2>&1 | sed -n 's/.*version "\([^"]*\)".*/\1/p' | head -n 1; }

python_fits() {
  "$1" -c 'import sys; sys.exit(not (3, 10) <= sys.version_info < (3, 14))' 2>/dev/null
}

needs_jdk='hudilite needs JDK 17 or 21'
if [ -n "$JAVA_HOME" ]; then
  if [ ! -x "$JAVA_HOME/bin/java" ]; then
    echo "JAVA_HOME ($JAVA_HOME) holds no bin/java: $needs_jdk; point JAVA_HOME at one, or unset it to use java on PATH"
    exit 0
  fi
  if ! home=$(java_home "$JAVA_HOME/bin/java"); then
    echo "JAVA_HOME is Java $(java_version "$JAVA_HOME/bin/java"): $needs_jdk; point JAVA_HOME at one, or unset it to use java on PATH"
    exit 0
  fi
elif ! command -v java >/dev/null 2>&1; then
  echo "no java found: $needs_jdk; install one and put it on PATH or set JAVA_HOME"
  exit 0
elif ! home=$(java_home java); then
  echo "java on PATH is Java $(java_version java): $needs_jdk; install one and set JAVA_HOME"
  exit 0
fi

version=${home%% *}
home=${home#* }
if [ ! -x "$home/bin/javac" ]; then
  echo "$home is a Java without a compiler: $needs_jdk; install the JDK, or set JAVA_HOME to one"
  exit 0
fi

python=
[ -n "$PYTHON" ] && set -- "$PYTHON" || set -- python3 python3.13 python3.12 python3.11 python3.10
for candidate; do
  if command -v "$candidate" >/dev/null 2>&1 && python_fits "$candidate"; then
    python=$("$candidate" -c 'import sys; print(sys.executable)')
    break
  fi
done
if [ -z "$python" ]; then
  echo "no Python 3.10 to 3.13 (looked at ${PYTHON:-python3 on PATH}): install one and put it on PATH, or set PYTHON to it"
  exit 0
fi
if [ ! -x .venv/bin/python ] && ! "$python" -c 'import venv, ensurepip' 2>/dev/null; then
  echo "$python has no venv module: install it (on Debian: python3-venv), or set PYTHON to another Python 3.10 to 3.13"
  exit 0
fi

mkdir -p .build
quoted() { printf "'%s'" "$(printf '%s' "$1" | sed "s/'/'\\\\''/g")"; }
{
  echo "export JAVA_HOME=$(quoted "$home") PYTHON=$(quoted "$python")"
  # shellcheck disable=SC2016
  echo 'export PATH="$JAVA_HOME/bin:$PATH" PIP_DISABLE_PIP_VERSION_CHECK=1'
  echo 'exec </dev/null # nothing in the build asks a question'
} >.build/machine.env.new
cmp -s .build/machine.env.new .build/machine.env 2>/dev/null && rm .build/machine.env.new ||
  mv .build/machine.env.new .build/machine.env
echo "fit $version"
