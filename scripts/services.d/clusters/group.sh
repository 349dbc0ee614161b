# MySQL group replication: three members in the sid system (see install.sh), with data in its /srv/group, one of which
# takes writes. A member's ports are for clients and for the group (+3). Commits reach the system, so the tables of
# a killed member have what its binary log says.

group_members() { echo 1 2 3; }
group_processes() { echo group-1 group-2 group-3; }
group_port() { cluster_port group "$1"; }

group_sql() {
  chroot "$DIR/mysql" timeout 20 mysql --no-defaults --connect-timeout=2 -h127.0.0.1 -P"$(group_port "$1")" -uroot -N -e "$2" </dev/null
}

group_state() {
  group_sql "$1" 'select concat(member_role, " ", member_state) from performance_schema.replication_group_members
    where member_id = @@server_uuid'
}
group_is_online() { [[ $(group_state "$1") == *ONLINE ]]; }

# group_start MEMBER [OPTION…]
group_start() {
  local member=$1 root=$DIR/mysql data=/srv/group/$1
  shift
  if [[ ! -d $root$data ]]; then
    rm -rf "$root$data.partial" && mkdir -p "$root$data.partial" && chown 65534:65534 "$root$data.partial" || return 1
    chroot "$root" mysqld --no-defaults --initialize-insecure --user=nobody --datadir="$data.partial" \
      --innodb-flush-method=nosync </dev/null && mv "$root$data.partial" "$root$data" || return 1
  fi
  launch "group-$member" chroot "$root" mysqld --no-defaults --user=nobody --datadir="$data" --bind-address=127.0.0.1 \
    --port="$(group_port "$member")" --socket=server.sock --pid-file=server.pid --mysqlx=OFF --secure-file-priv=NULL \
    --max-connections=400 --innodb-flush-method=nosync --innodb-flush-log-at-trx-commit=2 --sync-binlog=0 \
    --innodb-buffer-pool-size=128M --server-id="$member" --gtid-mode=ON --enforce-gtid-consistency=ON --report-host=127.0.0.1 \
    --plugin-load-add=group_replication.so --group-replication-group-name=5a7c1b1e-3f0e-4c59-9c0b-2f3a4b5c6d7e \
    --loose-group-replication-local-address="127.0.0.1:$(group_port $((member + 3)))" \
    --loose-group-replication-group-seeds="127.0.0.1:$(group_port 4),127.0.0.1:$(group_port 5),127.0.0.1:$(group_port 6)" \
    --loose-group-replication-recovery-get-public-key=ON --loose-group-replication-start-on-boot=ON "$@"
}

# The accounts are made on each member, outside of its log. A member that started before they were there joins now.
group_up() {
  local member
  install_mysql || return 1
  if alive group-1 || alive group-2 || alive group-3; then
    for member in $(group_members); do alive "group-$member" || group_start "$member" || return 1; done
  else
    rm -rf --one-file-system "$DIR/mysql/srv/group"
    for member in $(group_members); do
      group_start "$member" --loose-group-replication-start-on-boot=OFF && within 60 group_sql "$member" 'select 1' || return 1
      group_sql "$member" "set sql_log_bin = 0; create user if not exists repl@'%' identified by '$PASSWORD';
        grant replication slave, connection_admin, backup_admin, group_replication_stream on *.* to repl@'%';
        create user if not exists '$ACCOUNT'@'localhost' identified by '$PASSWORD';
        grant all on *.* to '$ACCOUNT'@'localhost' with grant option; create database if not exists $ACCOUNT;
        set sql_log_bin = 1; change replication source to source_user = 'repl', source_password = '$PASSWORD'
        for channel 'group_replication_recovery'" || return 1
      if ((member == 1)); then
        group_sql 1 'set global group_replication_bootstrap_group = ON; start group_replication;
          set global group_replication_bootstrap_group = OFF' || return 1
      else
        group_sql "$member" 'start group_replication' || return 1
      fi
    done
  fi
  for member in $(group_members); do within 300 group_is_online "$member" || return 1; done
}

group_env() {
  echo "export WAYMARK_TEST_GROUP_URL=mysql://$ACCOUNT:$PASSWORD@127.0.0.1:$(group_port 1),127.0.0.1:$(group_port 2),127.0.0.1:$(group_port 3)/$ACCOUNT"
}

group_primary() {
  local member
  for member in $(group_members); do
    [[ $(group_state "$member" 2>/dev/null) != 'PRIMARY ONLINE' ]] || { echo "$member" && return; }
  done
}
