# PostgreSQL, with contrib (pg_trgm). It refuses to run as root, so root runs it as nobody, with the capability to
# enter parent folders that are closed to others, such as /root. The securebit applies it to access(2) too.

postgres_account=()
((EUID != 0)) || postgres_account=(setpriv --reuid=nobody --regid=nogroup --clear-groups
  --inh-caps=+dac_override --ambient-caps=+dac_override --securebits=+no_setuid_fixup)

postgres_bin() { printf '%s\n' "$PACKAGES"/usr/lib/postgresql/*/bin | sort -V | tail -n 1; }

postgres_start() {
  local data=$DIR/data/postgres bin kept=off
  [[ -z $SURVIVES_KILLS ]] || kept=on
  bin=$(postgres_bin)
  if [[ ! -e $data/PG_VERSION ]]; then
    rm -rf "$data" && mkdir -p -m 700 "$data" && echo "$PASSWORD" >"$DIR/run/postgres.password" || return 1
    ((EUID != 0)) || chown nobody:nogroup "$data" || return 1
    "${packaged[@]}" "${postgres_account[@]}" "$bin/initdb" -D "$data" -U "$ACCOUNT" --auth=scram-sha-256 --pwfile="$DIR/run/postgres.password" \
      -E UTF8 --locale=C.UTF-8 --no-sync >>"$DIR/log/postgres.log" 2>&1 </dev/null || { rm -rf "$data"; return 1; }
  fi
  launch postgres "${packaged[@]}" "${postgres_account[@]}" "$bin/postgres" -D "$data" -c listen_addresses=127.0.0.1 -c port="$(port postgres)" \
    -c unix_socket_directories= -c max_connections=400 -c shared_buffers=128MB -c fsync=off -c full_page_writes=$kept \
    -c synchronous_commit=$kept -c wal_level=minimal -c max_wal_senders=0 -c max_wal_size=512MB -c jit=off \
    -c timezone=GMT -c log_timezone=GMT -c log_checkpoints=off
}

postgres_sql() {
  PGPASSWORD=$PASSWORD PGCONNECT_TIMEOUT=5 "${packaged[@]}" "$(postgres_bin)/psql" -X -q -h 127.0.0.1 -p "$(port postgres)" \
    -U "$ACCOUNT" -d postgres -v ON_ERROR_STOP=1 -Atc "$1" </dev/null
}

postgres_ready() { postgres_sql 'select 1'; }

postgres_setup() {
  [[ $(postgres_sql "select 1 from pg_database where datname = '$ACCOUNT'") == 1 ]] || postgres_sql "create database $ACCOUNT"
}

postgres_env() {
  echo "export WAYMARK_TEST_POSTGRES_URL=postgres://$ACCOUNT:$PASSWORD@127.0.0.1:$(port postgres)/$ACCOUNT"
}

postgres_stop() { stop_process postgres INT; } # INT ends open sessions instead of waiting
