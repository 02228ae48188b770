/**
 * Launcher scripts that find a Node for the program of an archive.
 *
 * Editors started from a desktop do not have a shell's PATH, so the usual places are
 * searched too. `node --version` answers before Node starts up completely.
 */

const message =
  "bowline: Node 20 or newer was not found; install it from https://nodejs.org, or set BOWLINE_NODE to its path";

/** For Linux and macOS: any POSIX shell. */
export const posixLauncher = `#!/bin/sh
# Starts Bowline with a Node of version 20 or newer.
self=$0
while [ -h "$self" ]; do
  link=$(readlink "$self")
  case $link in
    /*) self=$link ;;
    *) self=$(dirname "$self")/$link ;;
  esac
done
here=$(cd "$(dirname "$self")" && pwd -P)
run() {
  major=$("$1" --version 2> /dev/null) || return 0
  major=\${major#v}
  major=\${major%%.*}
  [ "$major" -ge 20 ] 2> /dev/null || return 0
  shift
  exec "$node" "$here/bowline.mjs" "$@"
}
if [ -n "$BOWLINE_NODE" ]; then
  node=$BOWLINE_NODE
  run "$node" "$@"
else
  for node in node "$HOME/.local/bin/node" "$HOME/.volta/bin/node" "$HOME"/.nvm/versions/node/*/bin/node \\
    /opt/homebrew/bin/node /usr/local/bin/node /usr/bin/node; do
    run "$node" "$@"
  done
fi
echo "${message}" >&2
exit 1
`;

/** For Windows: cmd needs lines that end with CRLF. */
export const windowsLauncher = `@echo off
rem Starts Bowline with a Node of version 20 or newer.
setlocal
set "node=node"
if defined BOWLINE_NODE set "node=%BOWLINE_NODE%"
for /f "tokens=1 delims=v." %%m in ('""%node%" --version 2^>nul"') do if %%m GEQ 20 goto run
echo ${message} 1>&2
exit /b 1
:run
"%node%" "%~dp0bowline.mjs" %*
exit /b %errorlevel%
`.replaceAll("\n", "\r\n");
