# The S3 endpoint of s3.sh over three object stores on disk, which keep each object three times. A store that is away
# for four seconds is left out. `primary` prints the one that takes the writes of objects.

# shellcheck disable=SC2034  # s3.sh reads them
s3_data=$DIR/data/ceph BASE_PORT=$(cluster_port ceph 0)

ceph_members() { echo 1 2 3; }
ceph_processes() { echo ceph-1 ceph-2 ceph-3 ceph-mon ceph-gateway; }

ceph_config() {
  s3_config "$1" && cat <<C
[global]
osd_pool_default_size=3
osd_pool_default_min_size=2
osd_heartbeat_interval=1
osd_heartbeat_grace=4
mon_osd_adjust_heartbeat_grace=false
mon_osd_min_down_reporters=1
mon_osd_reporter_subtree_level=osd
osd_data=$s3_data/osd-\$id
osd_objectstore=bluestore
osd_memory_target=939524096
bluestore_block_size=4294967296
[osd.0]
osd_data=$s3_data/osd-0
osd_objectstore=bluestore
C
}

ceph_mon_start() { launch ceph-mon "${packaged[@]}" CEPH_CONF="$s3_data/ceph.conf" ceph-mon -f -i a; }
ceph_start() {
  launch "ceph-$1" "${packaged[@]}" CEPH_CONF="$s3_data/ceph.conf" ceph-osd -f -i $(($1 - 1)) --no-mon-config
}
ceph_gateway_start() {
  launch ceph-gateway "${packaged[@]}" CEPH_CONF="$s3_data/ceph.conf" radosgw -f -n client.rgw
}
ceph_gateway_answers() { listening "$(port s3)"; }

ceph_create() {
  local fsid member
  mkdir -p "$s3_data"/{mon,rgw} || return 1
  fsid=$(</proc/sys/kernel/random/uuid)
  ceph_config "$fsid" >"$s3_data/ceph.conf"
  s3_create_monitor "$fsid" && ceph_mon_start || return 1
  for member in $(ceph_members); do
    mkdir -p "$s3_data/osd-$((member - 1))" &&
      s3_ceph ceph-osd -i $((member - 1)) --mkfs --osd-uuid "$(</proc/sys/kernel/random/uuid)" --no-mon-config &&
      s3_monitor osd new "$(<"$s3_data/osd-$((member - 1))/fsid")" $((member - 1)) || return 1
  done
  touch "$s3_data/made"
}

# Each object is in three stores, or on its way to one of them.
ceph_is_whole() {
  [[ $(s3_monitor osd stat) == *"3 up"* ]] && [[ $(s3_monitor osd dump) != *pg_temp* ]]
}

ceph_up() {
  local member
  [[ -e $s3_data/made ]] || { cluster_down ceph && ceph_create; } || return 1
  alive ceph-mon || ceph_mon_start
  for member in $(ceph_members); do alive "ceph-$member" || ceph_start "$member"; done
  within 120 ceph_is_whole || return 1
  alive ceph-gateway || ceph_gateway_start
  within 60 ceph_gateway_answers && s3_setup && within 120 ceph_is_whole
}

ceph_env() { s3_env; }

ceph_primary() {
  local map
  map=$(s3_monitor osd map default.rgw.buckets.data any 2>/dev/null) || return 0
  [[ $map =~ acting\ \(\[[0-9,]+\],\ p([0-9]+)\) ]] && echo $((BASH_REMATCH[1] + 1))
}
