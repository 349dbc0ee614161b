# Redis. A clean stop saves a snapshot for the next start.

redis_start() {
  mkdir -p "$DIR/data/redis" || return 1
  launch redis "${packaged[@]}" "$PACKAGES/usr/bin/redis-server" --bind 127.0.0.1 --port "$(port redis)" --dir "$DIR/data/redis" \
    --save '3600 1' --appendonly no --maxclients 1000 --daemonize no
}

redis_ready() {
  [[ $("${packaged[@]}" timeout 5 redis-cli -h 127.0.0.1 -p "$(port redis)" ping </dev/null) == PONG ]]
}

redis_setup() { :; }

redis_env() { echo "export WAYMARK_TEST_REDIS_URL=redis://127.0.0.1:$(port redis)"; }

redis_stop() { stop_process redis; }
