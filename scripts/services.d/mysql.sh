# MySQL 9 in the sid system mysql/ (see install.sh), with data in its /srv/mysql. Needs root for chroot.

mysql_start() {
  local root=$DIR/mysql writes=(--innodb-flush-log-at-trx-commit=0 --skip-innodb-doublewrite)
  [[ -z $SURVIVES_KILLS ]] || writes=(--innodb-flush-log-at-trx-commit=2)
  ((EUID == 0)) || fail "mysql needs root" || return 1
  if [[ ! -d $root/srv/mysql ]]; then
    rm -rf "$root/srv/mysql.partial" && mkdir -p "$root/srv/mysql.partial" && chown 65534:65534 "$root/srv/mysql.partial" || return 1
    env -u TMPDIR chroot "$root" mysqld --no-defaults --initialize-insecure --user=nobody --datadir=/srv/mysql.partial \
      --innodb-flush-method=nosync >>"$DIR/log/mysql.log" 2>&1 </dev/null || return 1
    mv "$root/srv/mysql.partial" "$root/srv/mysql" || return 1
  fi
  launch mysql env -u TMPDIR chroot "$root" mysqld --no-defaults --user=nobody --datadir=/srv/mysql --bind-address=127.0.0.1 \
    --port="$(port mysql)" --socket=server.sock --pid-file=server.pid --mysqlx=OFF --secure-file-priv=NULL \
    --max-connections=400 --performance-schema=OFF --skip-log-bin --innodb-flush-method=nosync \
    --skip-innodb-file-per-table "${writes[@]}"
}

mysql_sql() {
  chroot "$DIR/mysql" mysql --no-defaults --connect-timeout=5 -h127.0.0.1 -P"$(port mysql)" -uroot -e "$1" </dev/null
}

mysql_ready() { mysql_sql 'select 1'; }

mysql_setup() {
  mysql_sql "create user if not exists '$ACCOUNT'@'localhost' identified by '$PASSWORD';
    grant all on *.* to '$ACCOUNT'@'localhost' with grant option; create database if not exists $ACCOUNT"
}

mysql_env() {
  echo "export WAYMARK_TEST_MYSQL_URL=mysql://$ACCOUNT:$PASSWORD@127.0.0.1:$(port mysql)/$ACCOUNT"
}

mysql_stop() { stop_process mysql; }
