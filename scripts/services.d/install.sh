# Downloads Debian's packages with the apt configuration of the machine and unpacks them into packages/.

# A prefix that runs a command from the unpacked packages with their libraries. Not a function, so that `launch` can
# exec it.
packaged=()
find_packaged() {
  local folder libraries=
  for folder in "$PACKAGES"/usr/lib/*-linux-gnu "$PACKAGES"/usr/lib/*-linux-gnu/ceph "$PACKAGES"/lib/*-linux-gnu; do
    libraries+=${libraries:+:}$folder
  done
  packaged=(env "LD_LIBRARY_PATH=$libraries" "PATH=$PACKAGES/usr/bin:$PACKAGES/usr/sbin:$PATH")
}
find_packaged

apt_update() {
  local try
  for try in 1 2 3 4 5; do
    apt-get update -q >>"$DIR/log/apt.log" 2>&1 && return
    sleep $((try * 2)) # another apt-get may hold the lock of the lists
  done
  fail "apt-get update failed, see $DIR/log/apt.log"
}

# Downloads packages and their missing dependencies. --reinstall includes packages that the system has, so that all
# programs come from packages/.
download() {
  mkdir -p "$DIR/debs/partial"
  apt-get install -y -q --download-only --reinstall --no-install-recommends -o Dir::Cache::archives="$DIR/debs" \
    -o APT::Sandbox::User=root -o Acquire::Retries=3 -o DPkg::Lock::Timeout=300 "$@" >>"$DIR/log/apt.log" 2>&1 </dev/null
}

unpack() {
  local deb
  for deb in "$DIR"/debs/*.deb; do
    # Keep the system's libc: its loader does not work with another one.
    case ${deb##*/} in libc6_* | libc-bin_*) ;; *) dpkg -x "$deb" "$PACKAGES" || return 1 ;; esac
  done
  rm -rf "$DIR/debs"
  find_packaged
}

# fetch STAMP PACKAGE…: downloads packages once; refreshes the package lists only when a download fails.
fetch() {
  local stamp=$DIR/run/$1.packages
  shift
  [[ ! -e $stamp || $(<"$stamp") != "$*" ]] || return 0
  ((EUID == 0)) || fail "the first \`up\` needs root, for apt-get" || return 1
  say "downloading $*"
  mkdir -p "$PACKAGES"
  rm -rf "$DIR/debs"
  download "$@" || { apt_update && download "$@"; } || fail "apt-get could not download, see $DIR/log/apt.log" || return 1
  unpack || fail "the packages could not be unpacked into $PACKAGES" || return 1
  echo "$*" >"$stamp"
}

install_base() {
  command -v apt-get >/dev/null ||
    fail "needs Debian's apt-get; elsewhere, set WAYMARK_TEST_POSTGRES_URL and the others to your servers" || return 1
  fetch base debootstrap
}

postgres_version() { apt-cache depends postgresql | sed -n 's/.*Depends: postgresql-\([0-9]*\)$/\1/p' | head -n 1; }

install_packages() {
  local version
  version=$(postgres_version)
  [[ -n $version ]] || { apt_update && version=$(postgres_version); }
  [[ -n $version ]] || fail "apt knows no package postgresql" || return 1
  fetch servers "postgresql-$version" "postgresql-client-$version" mariadb-server-core mariadb-client-core \
    redis-server redis-tools radosgw ceph-mon ceph-osd ceph-base ceph-common &&
    fetch authority pebble
}

# The address of the Debian archive that apt is configured with.
debian_mirror() {
  # shellcheck disable=SC2016  # apt fills these in
  apt-get indextargets --format '$(ORIGIN)|$(LABEL)|$(COMPONENT)|$(REPO_URI)' 'Created-By: Packages' |
    sed -n 's/^Debian|Debian|main|//p' | head -n 1
}

# MySQL 9 from sid with its libraries, as a separate system in mysql/ (chroot). The keyring of the machine verifies the
# archive. The mounts of debootstrap end with its mount namespace.
install_mysql() {
  local root=$DIR/mysql mirror proxy isolate=(unshare --mount --propagation private)
  [[ ! -x $root/usr/sbin/mysqld ]] || return 0
  ((EUID == 0)) || fail "mysql needs root (debootstrap and chroot)" || return 1
  mirror=$(debian_mirror)
  [[ -n $mirror ]] || { apt_update && mirror=$(debian_mirror); }
  [[ -n $mirror ]] || fail "apt is configured with no Debian archive to take MySQL from" || return 1
  eval "$(apt-config shell proxy Acquire::http::Proxy)"
  [[ -z ${proxy:-} ]] || export http_proxy=$proxy
  say "making a small Debian sid for mysql (about a minute)"
  rm -rf --one-file-system "$root.partial"
  "${isolate[@]}" true 2>/dev/null || isolate=() # not allowed in some containers
  "${isolate[@]}" "${packaged[@]}" DEBOOTSTRAP_DIR="$PACKAGES/usr/share/debootstrap" "$PACKAGES/usr/sbin/debootstrap" \
    --force-check-gpg --keyring=/usr/share/keyrings/debian-archive-keyring.gpg --variant=minbase \
    --include=mysql-server-core,mysql-client-core sid "$root.partial" "$mirror" >"$DIR/log/debootstrap.log" 2>&1 </dev/null ||
    fail "debootstrap failed, see $DIR/log/debootstrap.log" || return 1
  rm -f "$root.partial"/var/cache/apt/archives/*.deb
  mv "$root.partial" "$root"
}
