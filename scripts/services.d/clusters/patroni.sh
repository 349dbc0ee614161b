# PostgreSQL under Patroni: three members with synchronous replication, and one etcd, which is never killed. A member's
# ports are for clients and for Patroni (+3); etcd's are 7 and 8. A leader that is silent for 20 seconds is replaced.

patroni_members() { echo 1 2 3; }
patroni_processes() { echo patroni-1 patroni-2 patroni-3 patroni-etcd; }
patroni_port() { cluster_port patroni "$1"; }

patroni_sql() {
  PGPASSWORD=$PASSWORD PGCONNECT_TIMEOUT=2 "${packaged[@]}" timeout 5 "$(postgres_bin)/psql" -X -q -h 127.0.0.1 \
    -p "$(patroni_port "$1")" -U "$ACCOUNT" -d postgres -Atc "$2" </dev/null
}

patroni_etcd() {
  local data=$DIR/data/patroni/etcd
  mkdir -p "$data" && chmod 700 "$data" || return 1
  launch patroni-etcd "${packaged[@]}" etcd --name waymark --data-dir "$data" --unsafe-no-fsync \
    --listen-client-urls "http://127.0.0.1:$(patroni_port 7)" --advertise-client-urls "http://127.0.0.1:$(patroni_port 7)" \
    --listen-peer-urls "http://127.0.0.1:$(patroni_port 8)" --initial-advertise-peer-urls "http://127.0.0.1:$(patroni_port 8)" \
    --initial-cluster "waymark=http://127.0.0.1:$(patroni_port 8)"
}

patroni_etcd_answers() {
  "${packaged[@]}" env ETCDCTL_API=3 etcdctl --endpoints "127.0.0.1:$(patroni_port 7)" --command-timeout=2s get none
}

# JSON is YAML too. Nothing is synced to disk, as for the other servers; a rewind brings a former primary back.
patroni_config() {
  local member=$1 data=$DIR/data/patroni/$1 account="\"username\": \"$ACCOUNT\", \"password\": \"$PASSWORD\""
  cat <<TEXT
{ "scope": "waymark", "name": "member-$member",
  "restapi": { "listen": "127.0.0.1:$(patroni_port $((member + 3)))", "connect_address": "127.0.0.1:$(patroni_port $((member + 3)))" },
  "etcd3": { "host": "127.0.0.1:$(patroni_port 7)" },
  "bootstrap": {
    "dcs": { "ttl": 20, "loop_wait": 2, "retry_timeout": 5, "maximum_lag_on_failover": 1048576, "synchronous_mode": true,
      "primary_start_timeout": 0, "master_start_timeout": 0,
      "postgresql": { "use_pg_rewind": true, "use_slots": true, "parameters": { "max_connections": 300, "fsync": "off",
        "wal_log_hints": "on", "wal_keep_size": "512MB", "shared_buffers": "64MB", "jit": "off",
        "timezone": "GMT", "log_timezone": "GMT" } } },
    "initdb": [{ "encoding": "UTF8" }, { "locale": "C.UTF-8" }, "no-sync"],
    "pg_hba": ["host replication $ACCOUNT 127.0.0.1/32 scram-sha-256", "host all all 127.0.0.1/32 scram-sha-256"] },
  "postgresql": { "listen": "127.0.0.1:$(patroni_port "$member")", "connect_address": "127.0.0.1:$(patroni_port "$member")",
    "data_dir": "$data/data", "bin_dir": "$(postgres_bin)", "pgpass": "$data/pgpass",
    "basebackup": [{ "checkpoint": "fast" }], "remove_data_directory_on_rewind_failure": true, "remove_data_directory_on_diverged_timelines": true,
    "authentication": { "superuser": { $account }, "replication": { $account }, "rewind": { $account } },
    "parameters": { "unix_socket_directories": "" } } }
TEXT
}

patroni_start() {
  local data=$DIR/data/patroni/$1
  mkdir -p "$data" && patroni_config "$1" >"$data/patroni.yml" || return 1
  ((EUID != 0)) || chown nobody:nogroup "$data"
  # A postmaster that outlived its Patroni is taken over.
  launch "patroni-$1" "${packaged[@]}" PYTHONPATH="$PACKAGES/usr/lib/python3/dist-packages" "${postgres_account[@]}" \
    python3 "$PACKAGES/usr/bin/patroni" "$data/patroni.yml"
}

# Patroni's postmaster is not its child.
patroni_signal() {
  local pid child
  pid=$(head -n 1 "$DIR/data/patroni/$1/data/postmaster.pid" 2>/dev/null) || return 0
  [[ $(readlink "/proc/$pid/exe") == "$(postgres_bin)/postgres" ]] || return 0
  for child in "$pid" $(cat "/proc/$pid/task/"*/children 2>/dev/null); do kill "-$2" "$child" 2>/dev/null || true; done
}

# As the watchdog of Patroni, which this machine lacks: a leader that was paused does not go on. Patroni 3.0 without it
# takes the lock back, and what the next leader had confirmed is lost.
patroni_resume() { patroni_signal "$1" KILL && cluster_kill "patroni-$1"; }

patroni_is_ready() { patroni_sql "$1" 'select 1'; }

# The primary has two standbys that stream, one of them synchronous.
patroni_is_complete() {
  local primary
  primary=$(patroni_primary)
  [[ -n $primary && $(patroni_sql "$primary" "select count(*), bool_or(sync_state = 'sync') from pg_stat_replication
    where state = 'streaming'") == '2|t' ]]
}

patroni_up() {
  local member
  fetch patroni patroni python3-etcd etcd-server etcd-client python3-psycopg2 || return 1
  alive patroni-etcd || patroni_etcd || return 1
  within 30 patroni_etcd_answers || return 1
  for member in $(patroni_members); do
    alive "patroni-$member" || patroni_start "$member" || return 1
    within 300 patroni_is_ready "$member" || return 1
  done
  within 300 patroni_is_complete || return 1
  member=$(patroni_primary)
  [[ $(patroni_sql "$member" "select 1 from pg_database where datname = '$ACCOUNT'") == 1 ]] ||
    patroni_sql "$member" "create database $ACCOUNT"
}

patroni_env() {
  echo "export WAYMARK_TEST_PATRONI_URL=postgres://$ACCOUNT:$PASSWORD@127.0.0.1:$(patroni_port 1),127.0.0.1:$(patroni_port 2),127.0.0.1:$(patroni_port 3)/$ACCOUNT"
}

patroni_primary() {
  local member
  for member in $(patroni_members); do
    [[ $(patroni_sql "$member" 'select pg_is_in_recovery()' 2>/dev/null) != f ]] || { echo "$member" && return; }
  done
}
