# Processes of the test servers: each in its own session, recorded in run/NAME.pid as "pid start-time".

port() {
  local i
  for i in "${!SERVICES[@]}"; do [[ ${SERVICES[i]} != "$1" ]] || echo $((BASE_PORT + 1 + i)); done
}

# The kernel's start time of a live process; nothing for a dead one or a zombie.
started_at() {
  local line fields
  { line=$(<"/proc/$1/stat"); } 2>/dev/null || return 0
  read -ra fields <<<"${line##*) }"
  [[ ${fields[0]} == Z ]] || echo "${fields[19]}"
}

alive() {
  local pid start
  { read -r pid start <"$DIR/run/$1.pid"; } 2>/dev/null && [[ -n $start && $(started_at "$pid") == "$start" ]]
}

pid_of() { cut -d' ' -f1 "$DIR/run/$1.pid"; }

# launch NAME COMMAND…: starts the command detached from this shell, its output in log/NAME.log.
launch() {
  local name=$1 log=$DIR/log/$1.log
  shift
  if [[ -e $log && $(stat -c %s "$log") -gt 5000000 ]]; then : >"$log"; fi
  (
    ulimit -n 65536 2>/dev/null || ulimit -n "$(ulimit -Hn)"
    exec setsid "$@"
  ) </dev/null >>"$log" 2>&1 9>&- &
  echo "$! $(started_at $!)" >"$DIR/run/$name.pid"
}

# Sends a signal to a server and its children (PostgreSQL serves each connection in a child).
signal_tree() {
  local pid child
  pid=$(pid_of "$1")
  kill "-$2" "$pid" 2>/dev/null || true
  for child in $(cat "/proc/$pid/task/"*/children 2>/dev/null); do kill "-$2" "$child" 2>/dev/null || true; done
}

# stop_process NAME [SIGNAL]: stops it, or kills it after 30 s. Does nothing when it is not running.
stop_process() {
  local name=$1 signal=${2:-TERM} tries
  if alive "$name"; then
    signal_tree "$name" CONT
    kill "-$signal" "$(pid_of "$name")" 2>/dev/null || true
    for ((tries = 0; tries < 300; tries++)); do
      alive "$name" || break
      sleep 0.1
    done
    if alive "$name"; then
      say "$name did not stop within 30 s, killing it"
      signal_tree "$name" KILL
      sleep 0.5
    fi
  fi
  rm -f "$DIR/run/$name.pid"
}

listening() { (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }

port_is_free() {
  ! listening "$(port "$1")" ||
    fail "port $(port "$1") of $1 is in use by another program; change all ports with WAYMARK_SERVICES_PORT"
}

# await NAME SECONDS: waits until the server responds; fails at once when its process ends.
await() {
  local name=$1 deadline=$((SECONDS + $2))
  while ((SECONDS < deadline)); do
    if "${name}_ready" >/dev/null 2>&1; then return; fi
    if ! alive "$name"; then
      tail -n 5 "$DIR/log/$name.log" >&2
      fail "$name ended while starting, see $DIR/log/$name.log"
      return 1
    fi
    sleep 0.2
  done
  fail "$name does not respond after $2 s, see $DIR/log/$name.log"
}
