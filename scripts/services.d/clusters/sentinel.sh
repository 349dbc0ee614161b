# Redis with two replicas and three Sentinels, which replace a master that is away for two seconds.

sentinel_members() { echo 1 2 3; }
sentinel_processes() { echo sentinel-1 sentinel-2 sentinel-3 sentinel-watch-1 sentinel-watch-2 sentinel-watch-3; }
sentinel_port() { cluster_port sentinel "$1"; }
sentinel_cli() { "${packaged[@]}" timeout 5 redis-cli -h 127.0.0.1 -p "$(sentinel_port "$1")" --no-auth-warning "${@:2}" </dev/null; }
sentinel_as_account() { sentinel_cli "$1" -a "$PASSWORD" "${@:2}"; }
sentinel_pongs() { [[ $(sentinel_as_account "$1" ping) == PONG ]]; }

# The configuration is the server's: Sentinel writes there whose replica it is.
sentinel_start() {
  local data=$DIR/data/sentinel/$1
  if [[ ! -e $data/redis.conf ]]; then
    mkdir -p "$data" || return 1
    printf '%s\n' 'bind 127.0.0.1' "port $(sentinel_port "$1")" "dir $data" 'save ""' "requirepass $PASSWORD" \
      "masterauth $PASSWORD" 'repl-diskless-sync-delay 0' >"$data/redis.conf"
    (($1 == 1)) || echo "replicaof 127.0.0.1 $(sentinel_port 1)" >>"$data/redis.conf"
  fi
  launch "sentinel-$1" "${packaged[@]}" "$PACKAGES/usr/bin/redis-server" "$data/redis.conf"
}

sentinel_watch() {
  local data=$DIR/data/sentinel/watch-$1
  if [[ ! -e $data/sentinel.conf ]]; then
    mkdir -p "$data" || return 1
    printf '%s\n' 'bind 127.0.0.1' "port $(sentinel_port $((3 + $1)))" "dir $data" \
      "sentinel monitor waymark 127.0.0.1 $(sentinel_port 1) 2" "sentinel auth-pass waymark $PASSWORD" \
      'sentinel down-after-milliseconds waymark 2000' 'sentinel failover-timeout waymark 6000' >"$data/sentinel.conf"
  fi
  launch "sentinel-watch-$1" "${packaged[@]}" "$PACKAGES/usr/bin/redis-server" "$data/sentinel.conf" --sentinel
}

sentinel_is_complete() {
  [[ $(sentinel_cli 4 sentinel master waymark | grep -A 1 -E '^num-(slaves|other-sentinels)$' | tr -dc 0-9) == 22 ]]
}

sentinel_up() {
  local member
  for member in $(sentinel_members); do
    alive "sentinel-$member" || sentinel_start "$member" || return 1
    within 30 sentinel_pongs "$member" || return 1
  done
  for member in 1 2 3; do alive "sentinel-watch-$member" || sentinel_watch "$member" || return 1; done
  within 60 sentinel_is_complete
}

sentinel_env() {
  echo "export WAYMARK_TEST_SENTINEL_URL=redis+sentinel://:$PASSWORD@127.0.0.1:$(sentinel_port 4),127.0.0.1:$(sentinel_port 5),127.0.0.1:$(sentinel_port 6)/waymark"
}

sentinel_primary() {
  local port
  port=$(sentinel_cli 4 sentinel get-master-addr-by-name waymark | tail -n 1)
  echo $((port - $(sentinel_port 0)))
}
