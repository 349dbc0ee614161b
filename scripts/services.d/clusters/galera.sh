# MariaDB Galera: three members that all take writes. A member's ports are for clients, the group (+3) and transfers of
# its state (+6, +9). A killed one finds its position in InnoDB's log and gets what it missed, or everything by rsync,
# which as root would receive as nobody; so they run in the account of PostgreSQL.

galera_members() { echo 1 2 3; }
galera_processes() { echo galera-1 galera-2 galera-3; }
galera_port() { cluster_port galera "$1"; }

galera_sql() {
  "${packaged[@]}" "$PACKAGES/usr/bin/mariadb" --no-defaults --connect-timeout=2 -h127.0.0.1 -P"$(galera_port "$1")" \
    -uroot -N -e "$2" </dev/null
}

galera_is_synced() { [[ $(galera_sql "$1" "show status like 'wsrep_local_state_comment'") == *Synced* ]]; }

galera_data() {
  local data=$DIR/data/galera/$1
  if [[ ! -d $data ]]; then
    rm -rf "$data.partial" && mkdir -p "$data.partial" || return 1
    ((EUID != 0)) || chown nobody:nogroup "$data.partial" "$DIR/data/galera" || return 1
    "${packaged[@]}" "${postgres_account[@]}" "$PACKAGES/usr/bin/mariadb-install-db" --no-defaults --basedir="$PACKAGES/usr" \
      --datadir="$data.partial" --auth-root-authentication-method=normal --skip-test-db </dev/null && mv "$data.partial" "$data"
  fi
}

# galera_start MEMBER [OPTION…]
galera_start() {
  local member=$1 data=$DIR/data/galera/$1 options recovered
  shift
  galera_data "$member" || return 1
  options=(--no-defaults --basedir="$PACKAGES/usr" --datadir="$data" --bind-address=127.0.0.1
    --port="$(galera_port "$member")" --socket=server.sock --max-connections=400 --character-set-server=utf8mb4
    --collation-server=utf8mb4_general_ci --binlog-format=ROW --default-storage-engine=InnoDB --innodb-autoinc-lock-mode=2
    --innodb-flush-method=nosync --innodb-flush-log-at-trx-commit=0 --innodb-buffer-pool-size=128M --wsrep-on=1
    --wsrep-provider="$PACKAGES/usr/lib/galera/libgalera_smm.so" --wsrep-cluster-name=waymark
    --wsrep-cluster-address="gcomm://127.0.0.1:$(galera_port 4),127.0.0.1:$(galera_port 5),127.0.0.1:$(galera_port 6)"
    --wsrep-node-name="member-$member" --wsrep-node-address=127.0.0.1 --wsrep-sst-method=rsync
    --wsrep-sst-receive-address="127.0.0.1:$(galera_port $((member + 6)))"
    --wsrep-provider-options="gmcast.listen_addr=tcp://127.0.0.1:$(galera_port $((member + 3)));ist.recv_addr=127.0.0.1:$(galera_port $((member + 9)));gcache.size=256M")
  recovered=$("${packaged[@]}" "${postgres_account[@]}" "$PACKAGES/usr/sbin/mariadbd" "${options[@]}" --wsrep-recover --log-error="$data/recover.log" \
    >/dev/null 2>&1 </dev/null; sed -n 's/.*Recovered position: *//p' "$data/recover.log" | tail -n 1)
  [[ -z $recovered ]] || options+=("--wsrep-start-position=$recovered")
  launch "galera-$member" "${packaged[@]}" "${postgres_account[@]}" "$PACKAGES/usr/sbin/mariadbd" "${options[@]}" "$@"
}

galera_up() {
  local member
  fetch galera galera-4 rsync mariadb-server mariadb-server-core mariadb-client-core || return 1
  for member in $(galera_members); do galera_data "$member" || return 1; done
  if ! alive galera-1 && ! alive galera-2 && ! alive galera-3; then
    sed -i 's/^safe_to_bootstrap:.*/safe_to_bootstrap: 1/' "$DIR/data/galera/1/grastate.dat" 2>/dev/null
    galera_start 1 --wsrep-new-cluster && within 60 galera_is_synced 1 || return 1
    galera_sql 1 "create user if not exists '$ACCOUNT'@'localhost' identified by '$PASSWORD';
      grant all on *.* to '$ACCOUNT'@'localhost' with grant option; create database if not exists $ACCOUNT" || return 1
  fi
  for member in $(galera_members); do
    alive "galera-$member" || galera_start "$member"
    within 300 galera_is_synced "$member" || return 1
  done
}

galera_env() {
  echo "export WAYMARK_TEST_GALERA_URL=mariadb://$ACCOUNT:$PASSWORD@127.0.0.1:$(galera_port 1),127.0.0.1:$(galera_port 2),127.0.0.1:$(galera_port 3)/$ACCOUNT"
}

# The one that Waymark uses: it has the most of the account's sessions.
galera_primary() {
  local member
  for member in $(galera_members); do
    echo "$(galera_sql "$member" "select count(*) from information_schema.processlist where user = '$ACCOUNT'" 2>/dev/null || echo -1) $member"
  done | sort -k1,1nr -k2,2n | awk 'NR == 1 && $1 > 0 { print $2 }'
}
