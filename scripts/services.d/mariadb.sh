# MariaDB with Debian's default character set. Databases of tests, with all their tables in one file, are made and dropped
# in a tenth of the time. Its socket is relative to the data folder, because socket paths are
# limited to 107 bytes.

mariadb_start() {
  local data=$DIR/data/mariadb writes=(--innodb-flush-log-at-trx-commit=0 --skip-innodb-doublewrite)
  [[ -z $SURVIVES_KILLS ]] || writes=(--innodb-flush-log-at-trx-commit=2)
  if [[ ! -d $data/mysql ]]; then
    rm -rf "$data.partial"
    "${packaged[@]}" "$PACKAGES/usr/bin/mariadb-install-db" --no-defaults --basedir="$PACKAGES/usr" --datadir="$data.partial" \
      --auth-root-authentication-method=normal --skip-test-db --user="$(id -un)" \
      >>"$DIR/log/mariadb.log" 2>&1 </dev/null || return 1
    mv "$data.partial" "$data" || return 1
  fi
  launch mariadb "${packaged[@]}" "$PACKAGES/usr/sbin/mariadbd" --no-defaults --basedir="$PACKAGES/usr" --datadir="$data" \
    --user="$(id -un)" --bind-address=127.0.0.1 --port="$(port mariadb)" --socket=server.sock --max-connections=400 \
    --character-set-server=utf8mb4 --collation-server=utf8mb4_general_ci --innodb-flush-method=nosync \
    --innodb-log-file-size=64M --skip-log-bin --debug-no-sync --skip-sync-frm --skip-innodb-file-per-table "${writes[@]}"
}

mariadb_sql() {
  "${packaged[@]}" "$PACKAGES/usr/bin/mariadb" --no-defaults --connect-timeout=5 -h127.0.0.1 -P"$(port mariadb)" -uroot -e "$1" </dev/null
}

mariadb_ready() { mariadb_sql 'select 1'; }

mariadb_setup() {
  mariadb_sql "create user if not exists '$ACCOUNT'@'localhost' identified by '$PASSWORD';
    grant all on *.* to '$ACCOUNT'@'localhost' with grant option; create database if not exists $ACCOUNT"
}

mariadb_env() {
  echo "export WAYMARK_TEST_MARIADB_URL=mariadb://$ACCOUNT:$PASSWORD@127.0.0.1:$(port mariadb)/$ACCOUNT"
}

mariadb_stop() { stop_process mariadb; }
