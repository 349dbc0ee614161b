/** The package for Debian, installed, upgraded, removed and purged in a system with systemd. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { makeDeb } from "../scripts/release.d/deb.ts";
import { until } from "./support/until.ts";
import { type Box, canStartBox, startBox } from "./support/systemd-box.ts";
import { PASSWORD } from "./support/session.ts";
import { BUILT } from "./support/waymark.ts";

const ROOT = join(import.meta.dir, "..");
const maintainer = "The Waymark authors <nobody@waymark.invalid>";
const architecture = process.arch === "arm64" ? "arm64" : "amd64";
/** What dpkg, adduser, the index of manuals, logrotate and systemd keep of any package, and the backups. */
const KEPT = [
  "etc/(?:passwd|group|shadow|gshadow|subuid|subgid)-?$",
  "etc/(?:[.]pwd[.]lock|machine-id|mtab|ld[.]so[.]cache|systemd/system/box[.]target)$",
  "usr/sbin/policy-rc[.]d$",
  "var/(?:lib/(?:dpkg|systemd|logrotate|waymark-backups)|cache|log|backups|mail)/",
  "(?:run|tmp|mnt)/",
];
const IS_KEPT = new RegExp(`^/(?:${KEPT.join("|")})`);

describe.skipIf(!canStartBox || BUILT === undefined)("the package", () => {
  let box: Box;

  beforeAll(async () => {
    box = await startBox();
    for (const version of ["1.0.0", "1.0.1-rc.1"])
      await makeDeb(
        {
          root: ROOT,
          program: BUILT!,
          architecture,
          version,
          at: 1_790_000_000,
          maintainer,
          compression: "none",
        },
        join(box.given, `${version}.deb`),
      );
  });
  afterAll(() => box?.stop());

  /** Runs a script that must succeed. */
  const run = (script: string): string => {
    const { exitCode, output } = box.run(script);
    expect({ script, exitCode, output }).toMatchObject({ exitCode: 0 });
    return output;
  };
  const install = (version: string) => run(`dpkg --install --force-unsafe-io /mnt/given/${version}.deb`);
  const answers = () => until(() => box.run("waymark status --probe").exitCode === 0);
  const processId = () => run("systemctl show --property MainPID --value waymark").trim();
  const isThere = (path: string) => box.run(`test -e ${path}`).exitCode === 0;

  test("is installed as a service that runs, and its commands have the service's account", async () => {
    install("1.0.0");
    await answers();
    expect(run("systemctl is-enabled waymark")).toBe("enabled\n");
    expect(run("stat --format '%U %a' /var/lib/waymark /etc/waymark/environment")).toBe(
      "waymark 750\nroot 600\n",
    );
    run(`cd /root && echo '${PASSWORD}' | waymark reset-password --stdin`);
    run("waymark links add https://example.com/ --code kept");
    expect(run("find /var/lib/waymark -not -user waymark")).toBe("");
    expect(run("man --path waymark && waymark completion bash | head -n 1")).toContain("_waymark() {");
  });

  test("takes settings, with quotes as systemd does", async () => {
    run(`printf '%s\\n' '# ours' 'WAYMARK__SERVER__PORT="9090"' 'WAYMARK__LOGGING__FILE=/var/log/waymark/waymark.log' >> /etc/waymark/environment
      systemctl restart waymark`);
    await answers();
    expect(run("waymark links get kept")).toContain(":9090/kept");
    run(
      "waymark links add https://example.com/ --code rotated && logrotate --force /etc/logrotate.d/waymark",
    );
  });

  test("makes backups by its unit", () => {
    run("systemctl start waymark-backup.service");
    expect(run("ls /var/lib/waymark-backups/*/manifest.json")).toContain("manifest.json");
  });

  test("is upgraded under the server, which keeps its data and settings", async () => {
    const before = processId();
    install("1.0.1-rc.1");
    expect(run("dpkg-query --show waymark")).toBe("waymark\t1.0.1~rc.1\n");
    await answers();
    expect(processId()).not.toBe(before);
    expect(run("waymark links get kept")).toContain(":9090/kept");
    expect(run("waymark doctor || true")).toContain("ok       schema: ");
  });

  test("keeps data when it is removed, and goes on with them when it comes back", async () => {
    run("dpkg --remove waymark");
    expect(box.run("systemctl is-active waymark").output).toBe("inactive\n");
    expect(["/usr/bin/waymark", "/usr/lib/systemd/system/waymark.service"].map(isThere)).toEqual([
      false,
      false,
    ]);
    expect(["/var/lib/waymark/waymark.db", "/etc/waymark/environment"].map(isThere)).toEqual([true, true]);
    install("1.0.1-rc.1");
    await answers();
    expect(run("waymark links get kept")).toContain(":9090/kept");
  });

  test("leaves nothing but backups when it is purged", () => {
    run("dpkg --purge waymark");
    expect(box.changed().filter((path) => !IS_KEPT.test(path))).toEqual([]);
    expect(["/var/lib/waymark", "/var/log/waymark", "/etc/waymark"].map(isThere)).toEqual([
      false,
      false,
      false,
    ]);
    expect(isThere("/var/lib/waymark-backups")).toBe(true);
  });
});
