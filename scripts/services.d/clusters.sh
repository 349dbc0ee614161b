# Clusters that fail over, for test/faults/. A file in clusters/ defines NAME_members (what can be killed), NAME_up
# (starts what does not run and returns when all members are ready), NAME_env, NAME_primary (prints the member that takes
# the writes, or nothing) and NAME_processes (all of its processes). Member N is the process NAME-N, which NAME_start N
# starts again. Each cluster has twenty ports from WAYMARK_CLUSTERS_PORT on, the last one forty.

CLUSTERS=(galera group sentinel patroni ceph)
CLUSTERS_PORT=${WAYMARK_CLUSTERS_PORT:-17450}

# cluster_port NAME OFFSET
cluster_port() {
  local i
  for i in "${!CLUSTERS[@]}"; do [[ ${CLUSTERS[i]} != "$1" ]] || echo $((CLUSTERS_PORT + 20 * i + $2)); done
}

# within SECONDS COMMAND…: repeats it until it succeeds.
within() {
  local deadline=$((SECONDS + $1))
  shift
  until "$@" >/dev/null 2>&1; do
    ((SECONDS < deadline)) || return 1
    sleep 0.2
  done
}

cluster() {
  local command=$1 name=$2 member=${3:-}
  [[ -n $name && " ${CLUSTERS[*]} " == *" $name "* ]] || { fail "unknown cluster '$name'; known: ${CLUSTERS[*]}"; exit 2; }
  # shellcheck source=/dev/null
  . "$here/services.d/clusters/$name.sh"
  if [[ $command == kill || $command == pause || $command == resume || $command == start ]]; then
    [[ -n $member && " $("${name}_members") " == *" $member "* ]] || { fail "$name has no member '$member'"; exit 2; }
  fi
  case $command in
    up) lock && cluster_up "$name" ;;
    down) lock && cluster_down "$name" ;;
    env) "${name}_env" ;;
    primary) "${name}_primary" ;;
    members) "${name}_members" ;;
    kill) cluster_signal "$name" "$member" KILL && cluster_kill "$name-$member" ;;
    pause) cluster_signal "$name" "$member" STOP && signal_tree "$name-$member" STOP ;;
    resume) cluster_resume "$name" "$member" ;;
    start) alive "$name-$member" || "${name}_start" "$member" ;;
    *) usage >&2 && exit 2 ;;
  esac
}

# NAME_resume MEMBER, where there is one, is what becomes of a member that was paused.
cluster_resume() {
  if declare -F "$1_resume" >/dev/null; then "$1_resume" "$2"; else cluster_signal "$1" "$2" CONT && signal_tree "$1-$2" CONT; fi
}

cluster_up() {
  install_base && install_packages || return 1
  "$1_up" >>"$DIR/log/$1.log" 2>&1 || fail "$1 could not be set up, see $DIR/log/$1*.log" || return 1
  say "$1 is ready; eval \"\$(scripts/services cluster env $1)\" tells the tests where it is"
}

# NAME_signal MEMBER SIGNAL, where there is one, is for processes that are not children of the member's.
cluster_signal() {
  ! declare -F "$1_signal" >/dev/null || "$1_signal" "$2" "$3"
}

# Its data are removed: the next `up` is empty.
cluster_down() {
  local process
  for process in $("$1_processes"); do
    cluster_signal "$1" "${process#"$1"-}" KILL
    ! alive "$process" || cluster_kill "$process"
    rm -f "$DIR/run/$process.pid"
  done
  rm -rf "$DIR/data/$1"
}

# SIGKILL for the process and its children, which may be in sessions of their own.
cluster_kill() {
  local tries
  signal_tree "$1" KILL
  for ((tries = 0; tries < 100; tries++)); do
    alive "$1" || return 0
    sleep 0.05
  done
}
