/**
 * The software in the executables, as CycloneDX. npm lists the packages of package-lock.json with licences and hashes;
 * kept are those that the server or the panel reaches, and the runtimes. No package that only builds or tests is in it.
 */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import manifest from "../../package.json";
import { run } from "./tools.ts";

type Component = { "bom-ref": string; name: string; scope?: string; properties?: { name: string }[] };
type Bom = {
  metadata: { timestamp: string; component: { name: string; "bom-ref": string; type: string } };
  serialNumber?: string;
  components: Component[];
  dependencies: { ref: string; dependsOn: string[] }[];
};
type About = { version: string; at: string; runtimes: readonly string[] };

/** Packages that those of the panel name for its build: macros are compiled away, and so are types. */
const isOfBuild = (name: string): boolean =>
  name === "@lingui/babel-plugin-lingui-macro" || name.startsWith("@types/");

/** `@scope/name` or `name` of an imported path. */
const packageOf = (path: string): string =>
  path
    .split("/")
    .slice(0, path.startsWith("@") ? 2 : 1)
    .join("/");

/** `@scope/name` of `@scope/name@1.2.3`. */
const nameOf = (ref: string): string => ref.slice(0, ref.lastIndexOf("@"));

/** The packages that sources of the panel import. */
function importedByPanel(root: string): Set<string> {
  const transpilers = {
    ts: new Bun.Transpiler({ loader: "ts" }),
    tsx: new Bun.Transpiler({ loader: "tsx" }),
  };
  const names = new Set<string>();
  for (const file of new Bun.Glob("panel/src/**/*.{ts,tsx}").scanSync({ cwd: root })) {
    if (/\.test\.|test-support/.test(file)) continue;
    for (const { path } of transpilers[file.endsWith("x") ? "tsx" : "ts"].scanImports(
      readFileSync(join(root, file), "utf8"),
    ))
      if (!path.startsWith(".")) names.add(packageOf(path));
  }
  return names;
}

/** Everything that `roots` reach. */
function reach(roots: readonly string[], edges: ReadonlyMap<string, readonly string[]>): Set<string> {
  const found = new Set<string>(roots);
  for (const ref of found) for (const next of edges.get(ref) ?? []) found.add(next);
  return found;
}

export async function makeSbom(root: string, { version, at, runtimes }: About): Promise<string> {
  const bom = JSON.parse(
    await run(["npm", "sbom", "--sbom-format", "cyclonedx", "--package-lock-only"], root),
  ) as Bom;
  const shipped = new Set([...Object.keys(manifest.dependencies), ...importedByPanel(root)]);
  const isForeignRuntime = (name: string) => name.startsWith("@oven/") && !runtimes.includes(name);
  const known = new Set(bom.components.map((one) => one["bom-ref"]));
  const isPart = (ref: string) => known.has(ref) && !isForeignRuntime(nameOf(ref)) && !isOfBuild(nameOf(ref));
  const edges = new Map(bom.dependencies.map(({ ref, dependsOn }) => [ref, dependsOn.filter(isPart)]));
  const self = bom.metadata.component;
  const direct = edges.get(self["bom-ref"])!.filter((ref) => shipped.has(nameOf(ref)));
  const kept = reach(direct, edges);

  const components = bom.components.filter((one) => kept.has(one["bom-ref"]));
  for (const one of components) {
    // npm names a package as its folder, which an override may call otherwise.
    one.name = nameOf(one["bom-ref"]);
    // npm's view of our folder: what the panel uses is a development dependency there.
    one.scope = "required";
    one.properties = (one.properties ?? []).filter(({ name }) => name !== "cdx:npm:package:development");
  }
  const dependencies = [
    { ref: self["bom-ref"], dependsOn: direct },
    ...bom.dependencies
      .filter(({ ref }) => kept.has(ref))
      .map(({ ref }) => ({ ref, dependsOn: edges.get(ref)! })),
  ];
  self.name = manifest.name;
  self.type = "application";
  const { serialNumber: _, ...rest } = bom;
  const content = { ...rest, metadata: { ...bom.metadata, timestamp: at }, components, dependencies };
  const id = createHash("sha256").update(JSON.stringify(content)).update(version).digest("hex");
  const uuid = [
    id.slice(0, 8),
    id.slice(8, 12),
    `5${id.slice(13, 16)}`,
    `8${id.slice(17, 20)}`,
    id.slice(20, 32),
  ];
  return `${JSON.stringify({ serialNumber: `urn:uuid:${uuid.join("-")}`, ...content }, null, 2)}\n`;
}
