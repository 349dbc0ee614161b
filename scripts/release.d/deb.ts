/**
 * The package for Debian and its kin: the program as a service. deploy/debian has what is in it besides, deploy/systemd the
 * units. The same program, version and time give the same bytes with the same dpkg-deb.
 */
import { createHash } from "node:crypto";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { COMPLETION_SCRIPTS } from "../../src/platform/cli/completion.ts";
import { run } from "./tools.ts";

export type Package = {
  root: string;
  /** The executable. */
  program: string;
  architecture: "amd64" | "arm64";
  version: string;
  /** Seconds since the epoch, of all files. */
  at: number;
  /** `Name <address>` */
  maintainer: string;
  /** Default: xz. */
  compression?: "xz" | "none";
};

/** Where the package has what the files in deploy/ look for in /usr/local/bin. */
const PROGRAMS = "/usr/lib/waymark/";
const COMPLETIONS = [
  ["bash", "usr/share/bash-completion/completions/waymark"],
  ["zsh", "usr/share/zsh/vendor-completions/_waymark"],
  ["fish", "usr/share/fish/vendor_completions.d/waymark.fish"],
] as const;
const CONFIGURATION = ["/etc/logrotate.d/waymark"];
const EXAMPLES = ["caddy", "grafana", "haproxy", "nginx", "prometheus"];

/** A version as dpkg orders it: 1.1.0~rc.1 is before 1.1.0. */
export const debianVersion = (version: string): string => version.replace("-", "~");

/** Without its head, which says how to install it by hand. */
const unitFrom = (text: string): string =>
  text.slice(text.indexOf("[Unit]")).replaceAll("/usr/local/bin/", PROGRAMS);

const packed = (text: string): Buffer => gzipSync(text, { level: 9 });

/** All files of the package, without a slash at the front, with their modes. */
function filesOf({ root, program, version, at, maintainer }: Package) {
  const textOf = (path: string): string => readFileSync(join(root, path), "utf8");
  const ours = (name: string): string => textOf(`deploy/debian/${name}`);
  const files = new Map<string, { content: string | Buffer; mode: number }>();
  const add = (path: string, content: string | Buffer, mode = 0o644) => files.set(path, { content, mode });

  add("usr/lib/waymark/waymark", readFileSync(program), 0o755);
  add("usr/lib/waymark/waymark-backup", textOf("deploy/backup/waymark-backup"), 0o755);
  add("usr/bin/waymark", ours("waymark"), 0o755);
  for (const name of readdirSync(join(root, "deploy/systemd")))
    add(`usr/lib/systemd/system/${name}`, unitFrom(textOf(`deploy/systemd/${name}`)));
  add("etc/logrotate.d/waymark", textOf("deploy/logrotate/waymark"));
  add("usr/share/waymark/environment", ours("environment"));
  add("usr/share/lintian/overrides/waymark", ours("lintian-overrides"));
  add("usr/share/man/man1/waymark.1.gz", packed(ours("waymark.1")));
  for (const [shell, path] of COMPLETIONS) add(path, `${COMPLETION_SCRIPTS[shell]}\n`);

  const doc = "usr/share/doc/waymark";
  const licence = textOf("LICENSE").replace(/^MIT License\n+Copyright .*\n+/, "");
  const folded = licence
    .trimEnd()
    .split("\n")
    .map((line) => ` ${line === "" ? "." : line}`);
  add(`${doc}/copyright`, ours("copyright").replace("LICENSE_TEXT", folded.join("\n")));
  add(`${doc}/NOTICE.md`, textOf("NOTICE.md"));
  const day = new Date(at * 1000).toUTCString().replace("GMT", "+0000");
  const entry = `waymark (${debianVersion(version)}) stable; urgency=medium\n\n  * See CHANGELOG.md.gz.\n\n -- ${maintainer}  ${day}\n`;
  add(`${doc}/changelog.gz`, packed(entry));
  for (const [name, path] of [
    ["CHANGELOG.md.gz", "CHANGELOG.md"],
    ["configuration.md.gz", "docs/configuration.md"],
    ["upgrade.md.gz", "docs/upgrade.md"],
  ] as const)
    add(`${doc}/${name}`, packed(textOf(path)));
  for (const folder of EXAMPLES)
    for (const name of readdirSync(join(root, "deploy", folder)))
      add(`${doc}/examples/${folder}/${name}`, textOf(`deploy/${folder}/${name}`));
  return files;
}

function write(path: string, content: string | Buffer, mode: number): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o755 });
  writeFileSync(path, content);
  // Whatever the umask.
  chmodSync(path, mode);
}

/** Writes the package to `file`. @throws Error without dpkg-deb */
export async function makeDeb(wanted: Package, file: string): Promise<void> {
  if (Bun.which("dpkg-deb") === null) throw new Error("dpkg-deb makes the package; install dpkg.");
  const tree = mkdtempSync(join(tmpdir(), "waymark-deb-"));
  try {
    const files = filesOf(wanted);
    for (const [path, { content, mode }] of files) write(join(tree, path), content, mode);
    // Empty, for what an administrator writes.
    mkdirSync(join(tree, "etc/waymark"));

    const kib = [...files.values()].map(({ content }) => Math.ceil(Buffer.byteLength(content) / 1024));
    const ours = join(wanted.root, "deploy/debian");
    const control = readFileSync(join(ours, "control"), "utf8")
      .replace("VERSION", debianVersion(wanted.version))
      .replace("ARCHITECTURE", wanted.architecture)
      .replace("MAINTAINER", wanted.maintainer)
      .replace("SIZE", String(kib.reduce((sum, one) => sum + one, 0)));
    const debian = join(tree, "DEBIAN");
    write(join(debian, "control"), control, 0o644);
    for (const script of ["postinst", "prerm", "postrm"])
      write(join(debian, script), readFileSync(join(ours, script)), 0o755);
    write(join(debian, "conffiles"), CONFIGURATION.map((path) => `${path}\n`).join(""), 0o644);
    const sums = [...files]
      .filter(([path]) => !CONFIGURATION.includes(`/${path}`))
      .map(([path, { content }]) => `${createHash("md5").update(content).digest("hex")}  ${path}\n`);
    write(join(debian, "md5sums"), sums.toSorted().join(""), 0o644);

    await run(["find", tree, "-type", "d", "-exec", "chmod", "0755", "{}", "+"], wanted.root);
    // One thread: more give other bytes.
    const how = wanted.compression === "none" ? ["-Znone"] : ["-Zxz", "-z1", "--threads-max=1"];
    await run(
      [
        "env",
        `SOURCE_DATE_EPOCH=${wanted.at}`,
        "dpkg-deb",
        "--root-owner-group",
        ...how,
        "--build",
        tree,
        file,
      ],
      wanted.root,
    );
  } finally {
    rmSync(tree, { recursive: true, force: true });
  }
}
