/**
 * `npm run docs`: makes a site of the README and docs/ in `dist/docs`, by VitePress, whose version is in scripts/docs.d.
 * Search is a file of the site, and no page asks another host. A page that is linked from these is in it too, and so is
 * each file that they name, as text. The table "Documentation" of the README is the navigation.
 *
 *     npm run docs -- --base /waymark/     the site is below that path
 *     npm run docs -- --out FOLDER
 */
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { dirname, join, posix, resolve } from "node:path";
import { parseArgs } from "node:util";
import { VERSION } from "../src/lib/version.ts";
import { installNode, runWell } from "./tools.ts";

const ROOT = join(import.meta.dir, "..");
const SETTINGS = join(import.meta.dir, "docs.d");
const LINK = /(\]\(|\b(?:src|srcset)=")(?![a-z]+:|#|\/)([^)"#\s]*)/g;
const FENCE = /^( *```.*?^ *```$|^ *~~~.*?^ *~~~$)/gms;

type Page = { path: string; text: string };
type Item = { text: string; link?: string; collapsed?: boolean; items?: Item[] };

/** Where a page of the repository is in the site, without its ending. */
const placeOf = (path: string): string =>
  path === "README.md" ? "index" : path.replace(/^docs\//, "").replace(/\.md$/, "");

/** Pictures stay what they are; a browser shows any other file as text. */
const fileInSite = (path: string): string => (/\.(png|svg)$/.test(path) ? path : `${path}.txt`);

/** The pages that the README leads to, on any way, and the other files that they name. */
export function collect(): { pages: Page[]; files: Set<string> } {
  const pages = new Map<string, Page>();
  const files = new Set<string>();
  const waiting = ["README.md"];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (pages.has(path)) continue;
    const page = { path, text: readFileSync(join(ROOT, path), "utf8") };
    pages.set(path, page);
    for (const target of targetsOf(page))
      if (target.endsWith(".md")) waiting.push(target);
      else if (statSync(join(ROOT, target)).isFile()) files.add(target);
  }
  return { pages: [...pages.values()], files };
}

/** @throws Error for a link to what is not there */
function targetsOf({ path, text }: Page): string[] {
  const links = [...text.replaceAll(FENCE, "").matchAll(LINK)].map(([, , target]) => target!);
  return links.filter(Boolean).map((target) => {
    const found = posix.normalize(posix.join(dirname(path), target));
    if (!existsSync(join(ROOT, found))) throw new Error(`${path} leads to ${target}, which is not there.`);
    return found;
  });
}

/** Links of the repository become those of the site. A folder has no page, so its name stays without a link. */
export function siteText({ path, text }: Page): string {
  const parts = text.split(FENCE);
  return parts.map((part, index) => (index % 2 === 1 ? part : withLinks(path, part))).join("");
}

function withLinks(path: string, text: string): string {
  const isFolder = (target: string) => statSync(join(ROOT, dirname(path), target)).isDirectory();
  return text
    .replaceAll(/\[([^\]]*)\]\((?![a-z]+:|#|\/)([^)#\s]+)\)/g, (link, name: string, target: string) =>
      isFolder(target) ? name : link,
    )
    .replaceAll(LINK, (_, before: string, target: string) => {
      if (target === "") return before;
      const found = posix.normalize(posix.join(dirname(path), target));
      return before + (found.endsWith(".md") ? `/${placeOf(found)}` : `/${fileInSite(found)}`);
    });
}

const titleOf = (text: string): string => /^# (.+)$/m.exec(text)![1]!.replaceAll("`", "");

/** A group is a row of the table "Documentation" of the README. */
export function sidebarOf(pages: readonly Page[]): Item[] {
  const readme = pages.find(({ path }) => path === "README.md")!.text;
  const table = readme.split("\n## Documentation\n")[1]!.split("\n## ")[0]!;
  const groups = [...table.matchAll(/^\| (\w[^|]*) \| (.+) \|$/gm)].map(([, text, cell]) => ({
    text: text!,
    collapsed: false,
    items: [...cell!.matchAll(/\]\(([^)#]+\.md)\)/g)].map(([, path]) => ({
      text: titleOf(pages.find((page) => page.path === path)!.text),
      link: `/${placeOf(path!)}`,
    })),
  }));
  return [{ text: "Waymark", link: "/" }, ...groups];
}

export async function makeSite(out: string, base = "/"): Promise<void> {
  const modules = await installNode("docs");
  const folder = mkdtempSync(join(modules, "..", "site-"));
  try {
    const { pages, files } = collect();
    for (const page of pages) await Bun.write(join(folder, `${placeOf(page.path)}.md`), siteText(page));
    for (const file of files) cpSync(join(ROOT, file), join(folder, "public", fileInSite(file)));
    cpSync(SETTINGS, join(folder, ".vitepress"), { recursive: true });
    const site = { base, sidebar: sidebarOf(pages), version: VERSION };
    await Bun.write(join(folder, ".vitepress/site.json"), JSON.stringify(site));
    const program = join(modules, "vitepress/bin/vitepress.js");
    await runWell(["node", program, "build", folder, "--outDir", resolve(out)], folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

if (import.meta.main) {
  const options = {
    out: { type: "string", default: join(ROOT, "dist/docs") },
    base: { type: "string", default: "/" },
  } as const;
  const { values } = parseArgs({ options });
  mkdirSync(values.out, { recursive: true });
  await makeSite(values.out, values.base);
  console.log(`The site is in ${values.out}.`);
}
