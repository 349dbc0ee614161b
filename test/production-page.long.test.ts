/**
 * docs/production.md, and the restore of docs/backup.md, typed as they stand on a copy of this machine: folders of the
 * system are overlays in a namespace of their own, and systemctl is a script that does what a unit would. No authority
 * gives certificates here, so the server speaks HTTP on another port. Needs root on Linux, else it is skipped.
 */
import "./support/long.ts";
import { afterAll, expect, test } from "bun:test";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readBlocks } from "./support/docs-commands.ts";
import { freePort } from "./support/proxies.ts";

const ROOT = join(import.meta.dir, "..");
const NAME = "production-page.long.test.ts";
const folder = mkdtempSync(join(tmpdir(), "waymark-machine-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const blocksOf = (page: string) =>
  readBlocks(page)
    .filter(({ said }) => said?.kind === "not run" && said.reason.includes(NAME))
    .map(({ place, text }) => `place=${place}\n${text}\n`);

const SYSTEMCTL = `#!/bin/bash
# Does what the units do, without their limits.
as() { cd /var/lib/waymark && exec runuser -u waymark -- env WAYMARK__DATA__DIR=/var/lib/waymark "$@"; }
case "$*" in
  daemon-reload | reboot | "enable --now waymark-backup.timer") ;;
  "enable --now waymark" | "start waymark")
    [[ -f /etc/systemd/system/waymark.service ]] || exit 5
    (as /usr/local/bin/waymark serve >>/var/log-waymark 2>&1) &
    echo $! >/run-waymark
    for _ in $(seq 600); do grep -q '"address"\\|listening' /var/log-waymark && exit 0; sleep 0.2; done
    exit 1 ;;
  "stop waymark") kill "$(pgrep -u waymark -o)"; while pgrep -u waymark >/dev/null; do sleep 0.1; done; rm -f /var/log-waymark ;;
  "start waymark-backup")
    install -d -o waymark -g waymark -m 0700 /var/lib/waymark-backups
    (as /usr/local/bin/waymark-backup) ;;
  *) echo "systemctl $*: unknown here" >&2; exit 1 ;;
esac
`;

/** An empty machine: /etc, /var, /usr/local and /root may be changed, and are gone afterwards. */
const MACHINE = `set -e
for name in etc var usr/local root; do
  mkdir -p "$STORE/$name/up" "$STORE/$name/work"
  mount -t overlay overlay -o "lowerdir=/$name,upperdir=$STORE/$name/up,workdir=$STORE/$name/work" "/$name"
done
install -m 0755 systemctl /usr/local/bin/systemctl
export PATH=/usr/local/bin:$PATH
set -o pipefail
trap 'echo "failed at $place: $BASH_COMMAND" >&2; cat /var/log-waymark >&2 || true' ERR
`;

test.skipIf(process.getuid?.() !== 0)(
  "a server for production is made by the page, and restored",
  async () => {
    const port = String(await freePort());
    for (const name of ["deploy"]) symlinkSync(join(ROOT, name), join(folder, name));
    mkdirSync(join(folder, "dist"));
    writeFileSync(join(folder, "dist/waymark"), `#!/bin/sh\nexec ${ROOT}/bin/waymark "$@"\n`);
    writeFileSync(join(folder, "systemctl"), SYSTEMCTL);
    chmodSync(join(folder, "dist/waymark"), 0o755);
    const script = [
      MACHINE,
      ...blocksOf("docs/production.md"),
      "wm links add https://example.com/ --code later\n",
      ...blocksOf("docs/backup.md"),
      "wm links list --json\nsystemctl stop waymark\n",
    ]
      .join("")
      .replaceAll("/run-waymark", "/var/run-waymark")
      .replaceAll("wm reset-password", 'wm reset-password --stdin <<< "a good password"')
      .replace("port = 443\nacme = true\n", `port = ${port}\n`)
      .replaceAll("https://go.example.com/health", `http://127.0.0.1:${port}/health`)
      .replace('curl -sS -H "Auth', 'sleep 2; curl -sS -H "Auth')
      .replace("/var/lib/waymark-backups/2026-11-29T030000", "/var/lib/waymark-backups/*");
    writeFileSync(join(folder, "machine.sh"), script);
    const store = join(folder, "store");
    const mounted = `mkdir -p ${store} && mount -t tmpfs tmpfs ${store} && exec bash machine.sh`;
    const done = Bun.spawnSync(
      ["unshare", "--mount", "--pid", "--fork", "--mount-proc", "sh", "-c", mounted],
      {
        cwd: folder,
        env: { PATH: process.env["PATH"]!, HOME: "/root", STORE: store, LANG: "C.UTF-8" },
        stderr: "pipe",
      },
    );
    const output = done.stdout.toString();
    if (done.exitCode !== 0) throw new Error((output + done.stderr.toString()).slice(-4000));
    expect(output).toContain("OK");
    expect(output).toContain("ok       storage policies");
    // What was written after the backup is gone.
    expect(output).toContain('"links": []');
  },
);
