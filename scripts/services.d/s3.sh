# An S3 endpoint: Ceph's gateway (s3) over one monitor (s3-mon) and one object store in memory (s3-osd).
# `stop s3` stops only the gateway and keeps its objects; `down` stops all three, and the next start is empty.

s3_data=$DIR/data/s3
s3_access_key=testkey s3_secret_key=testsecret s3_bucket=waymark

s3_config() {
  local libraries mon_port=$((BASE_PORT + 6))
  libraries=$(dirname "$(dirname "$PACKAGES"/usr/lib/*-linux-gnu/ceph/erasure-code)")
  cat <<C
[global]
fsid=$1
mon_host=[v1:127.0.0.1:$mon_port/0]
mon_initial_members=a
auth_cluster_required=none
auth_service_required=none
auth_client_required=none
osd_pool_default_size=1
osd_pool_default_min_size=1
osd_crush_chooseleaf_type=0
osd_pool_default_pg_num=1
osd_pool_default_pgp_num=1
osd_pool_default_pg_autoscale_mode=off
mon_max_pg_per_osd=1000
mon_allow_pool_size_one=true
paxos_propose_interval=0.01
run_dir=$s3_data
admin_socket=
log_file=/dev/null
erasure_code_dir=$libraries/ceph/erasure-code
plugin_dir=$libraries/ceph
osd_class_dir=$libraries/rados-classes
osd_class_load_list=*
osd_class_default_list=*
osd_class_update_on_start=false
ms_bind_ipv6=false
ms_bind_msgr2=false
ms_bind_port_min=$((BASE_PORT + 7))
ms_bind_port_max=$((BASE_PORT + 40))
public_network=127.0.0.0/8
[mon.a]
mon_data=$s3_data/mon
mon_cluster_log_file=/dev/null
mon_data_avail_warn=1
mon_data_avail_crit=1
[osd.0]
monmap=$s3_data/monmap
osd_data=$s3_data/osd
osd_objectstore=memstore
memstore_device_bytes=8589934592
[client.rgw]
monmap=$s3_data/monmap
rgw_frontends=beast endpoint=127.0.0.1:$(port s3) tcp_nodelay=1
rgw_data=$s3_data/rgw
rgw_run_sync_thread=false
rgw_gc_obj_min_wait=60
rgw_gc_processor_period=60
C
}

s3_ceph() { "${packaged[@]}" CEPH_CONF="$s3_data/ceph.conf" "$@" </dev/null; }

# The `ceph` command needs Python: the system's, else the unpacked one.
s3_python() {
  local python=/usr/bin/python3
  [[ -x $python ]] || { python=$PACKAGES/usr/bin/python3 && local -x PYTHONHOME=$PACKAGES/usr; }
  PYTHONPATH=$PACKAGES/usr/lib/python3/dist-packages s3_ceph "$python" "$@"
}

s3_monitor() { s3_python "$PACKAGES/usr/bin/ceph" --connect-timeout 60 "$@"; }

# s3_create_monitor FSID: the data of a new monitor, which is not started.
s3_create_monitor() {
  s3_ceph monmaptool --create --clobber --fsid "$1" --addv a "[v1:127.0.0.1:$((BASE_PORT + 6))]" "$s3_data/monmap" &&
    s3_ceph ceph-mon --mkfs -i a --monmap "$s3_data/monmap"
}

# A new, empty store.
s3_create_store() {
  local fsid process try starts=0
  for process in s3 s3-osd s3-mon; do stop_process "$process"; done
  rm -rf "$s3_data" && mkdir -p "$s3_data"/{mon,osd,rgw} || return 1
  fsid=$(</proc/sys/kernel/random/uuid)
  s3_config "$fsid" >"$s3_data/ceph.conf"
  s3_create_monitor "$fsid" || return 1
  launch s3-mon "${packaged[@]}" CEPH_CONF="$s3_data/ceph.conf" ceph-mon -f -i a
  s3_ceph ceph-osd -i 0 --mkfs --osd-uuid "$(</proc/sys/kernel/random/uuid)" &&
    s3_monitor osd new "$(<"$s3_data/osd/fsid")" 0 || return 1
  # Without --no-mon-config the store forgets the fsid of its monmap and may exit before the monitor has sent it.
  # It is started up to ten times in case it ends for another reason.
  for try in {1..120}; do
    alive s3-osd || ((++starts > 10)) || launch s3-osd "${packaged[@]}" CEPH_CONF="$s3_data/ceph.conf" ceph-osd -f -i 0 --no-mon-config
    [[ $(s3_monitor osd stat) != *'1 up'* ]] || return 0
    sleep 0.3
  done
  echo "the object store did not come up:"
  tail -n 20 "$DIR/log/s3-osd.log"
  return 1
}

# Its objects are in memory: the next start is empty.
stop_store() {
  local process
  for process in s3-osd s3-mon; do stop_process "$process"; done
}

s3_start() {
  if ! alive s3-mon || ! alive s3-osd; then
    s3_create_store >>"$DIR/log/s3.log" 2>&1 || return 1
  fi
  launch s3 "${packaged[@]}" CEPH_CONF="$s3_data/ceph.conf" radosgw -f -n client.rgw
}

s3_ready() (
  alive s3-mon && alive s3-osd || return 1
  exec 3<>"/dev/tcp/127.0.0.1/$(port s3)" || return 1
  printf 'GET / HTTP/1.0\r\nHost: 127.0.0.1\r\n\r\n' >&3
  read -r -t 5 answer <&3 && [[ $answer == HTTP/*200* ]]
)

s3_setup() {
  s3_ceph radosgw-admin -n client.rgw user info --uid test >/dev/null 2>&1 ||
    s3_ceph radosgw-admin -n client.rgw user create --uid test --display-name test \
      --access-key "$s3_access_key" --secret-key "$s3_secret_key" >/dev/null || return 1
  s3_python -c "$s3_make_bucket" "http://127.0.0.1:$(port s3)" "$s3_bucket" "$s3_access_key" "$s3_secret_key"
}

# Creates the bucket by a PUT with a signed query (version 2), because the tests' S3 clients can't. Repeatable.
s3_make_bucket='
import base64, hashlib, hmac, sys, time, urllib.parse, urllib.request
url, bucket, access_key, secret_key = sys.argv[1:]
expires = str(int(time.time()) + 60)
text = "PUT\n\n\n%s\n/%s" % (expires, bucket)
signature = base64.b64encode(hmac.new(secret_key.encode(), text.encode(), hashlib.sha1).digest()).decode()
query = urllib.parse.urlencode({"AWSAccessKeyId": access_key, "Expires": expires, "Signature": signature})
direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
direct.open(urllib.request.Request("%s/%s?%s" % (url, bucket, query), method="PUT"), timeout=20)
'

s3_env() {
  echo "export WAYMARK_TEST_S3_URL=http://127.0.0.1:$(port s3)"
  echo "export WAYMARK_TEST_S3_ACCESS_KEY=$s3_access_key"
  echo "export WAYMARK_TEST_S3_SECRET_KEY=$s3_secret_key"
  echo "export WAYMARK_TEST_S3_BUCKET=$s3_bucket"
}

# Without its store the gateway waits for it when it stops, so it is killed.
s3_stop() {
  if alive s3-mon && alive s3-osd; then stop_process s3; else stop_process s3 KILL; fi
}
