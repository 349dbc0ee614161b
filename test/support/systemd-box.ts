/**
 * A Debian system with systemd as its first process, in namespaces of its own: the files of this machine, whose changes
 * stay in memory, and no network but loopback. Needs root, on Debian with systemd.
 */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { until } from "./until.ts";

const SYSTEMD = "/lib/systemd/systemd";
const NAMESPACES = ["--mount", "--pid", "--net", "--uts", "--ipc", "--cgroup"];

export const canStartBox =
  process.getuid?.() === 0 &&
  [SYSTEMD, "/var/lib/dpkg/status", "/usr/bin/nsenter"].every((path) => existsSync(path));

/** $1: an empty folder. Nothing of the machine is started: box.target needs no other unit. */
const START = `
set -e
cd "$1"
mount --make-rprivate /
mount -t tmpfs tmpfs memory
mkdir memory/changes memory/work memory/root
root=$1/memory/root
mount -t overlay overlay -o "lowerdir=/,upperdir=$1/memory/changes,workdir=$1/memory/work" "$root"
mount -t proc proc "$root/proc"
mount -t sysfs sysfs "$root/sys"
mount -t tmpfs tmpfs "$root/sys/fs/cgroup"
mount -t cgroup2 cgroup2 "$root/sys/fs/cgroup"
mount -t tmpfs -o mode=755 tmpfs "$root/run"
mount --rbind /dev "$root/dev"
rm -f "$root/usr/sbin/policy-rc.d"
mkdir -p "$root/mnt/given" "$root/etc/systemd/system"
mount --bind "$1/given" "$root/mnt/given"
printf '[Unit]\\nDefaultDependencies=no\\n' > "$root/etc/systemd/system/box.target"
exec env -i container=box PATH=/usr/sbin:/usr/bin:/sbin:/bin chroot "$root" ${SYSTEMD} --system --unit=box.target --show-status=0
`;

export type Box = {
  /** The system has it at /mnt/given. */
  given: string;
  /** Runs a script in the system. */
  run(script: string): { exitCode: number; output: string };
  /** Paths of files and links that differ from those of the machine. */
  changed(): string[];
  stop(): Promise<void>;
};

export async function startBox(): Promise<Box> {
  const folder = mkdtempSync(join(tmpdir(), "waymark-box-"));
  const given = join(folder, "given");
  for (const name of ["memory", "given"]) mkdirSync(join(folder, name));
  const unshare = Bun.spawn(
    ["unshare", ...NAMESPACES, "--fork", "--kill-child", "/bin/sh", "-c", START, "box", folder],
    { stdio: ["ignore", "ignore", "pipe"] },
  );
  const first = (): string =>
    readFileSync(`/proc/${unshare.pid}/task/${unshare.pid}/children`, "utf8").trim();
  const enter = (options: readonly string[], script: string) => {
    const names = ["--mount", "--pid", "--net", "--uts", "--ipc", "--cgroup"];
    const { exitCode, stdout, stderr } = Bun.spawnSync(
      ["nsenter", `--target=${first()}`, ...names, ...options, "/bin/sh", "-ec", script],
      { env: { PATH: process.env["PATH"], DEBIAN_FRONTEND: "noninteractive" } },
    );
    return { exitCode, output: `${stdout}${stderr}` };
  };
  const run: Box["run"] = (script) => {
    const root = `/proc/${first()}/root`;
    return enter([`--root=${root}`, `--wd=${root}`], script);
  };
  const stop = async () => {
    // It ignores SIGTERM. Its end kills the system.
    unshare.kill("SIGKILL");
    await unshare.exited;
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await until(() => {
      if (unshare.exitCode !== null) throw new Error("The system did not start.");
      return first() !== "" && run("systemctl is-system-running").output.trim() === "running";
    });
  } catch (error) {
    await stop();
    throw new Error(await new Response(unshare.stderr).text(), { cause: error });
  }
  return {
    given,
    run,
    stop,
    changed: () =>
      enter([], `cd ${folder}/memory/changes && find . -type f -o -type l`)
        .output.split("\n")
        .map((path) => path.slice(1))
        .filter((path) => path !== "")
        .toSorted(),
  };
}
