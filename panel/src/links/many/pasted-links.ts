/** Links to make from a pasted list: one URL a line, or cells of a sheet. */
import { cellsIn, targetIn } from "../../base/targets.ts";

export type PastedLink = { target: string; code: string; title: string; tags: string };

/** Rows that the table takes. Longer lists are imported. */
export const MOST_PASTED = 100;

const NAMES: Record<keyof PastedLink, readonly string[]> = {
  target: ["target", "url", "long url", "long_url", "destination", "link", "address"],
  code: ["code", "slug", "short code", "alias", "keyword"],
  title: ["title", "name"],
  tags: ["tags", "tag"],
};

const linkOf = (target: string): PastedLink => ({ target, code: "", title: "", tags: "" });

/** Columns by a first line that names them; null without one. */
function columnsIn(first: readonly string[]): Map<keyof PastedLink, number> | null {
  const names = first.map((cell) => cell.trim().toLowerCase());
  const found = (Object.keys(NAMES) as (keyof PastedLink)[]).flatMap((column) => {
    const at = names.findIndex((name) => NAMES[column].includes(name));
    return at === -1 ? [] : [[column, at] as const];
  });
  const columns = new Map(found);
  return columns.has("target") ? columns : null;
}

/** Of a line without named columns: the URL is the target, other cells are title and tags. Several URLs are as many links. */
function linksOfLine(cells: readonly string[]): PastedLink[] {
  const targets = cells.flatMap((cell) => targetIn(cell) ?? []);
  const others = cells.map((cell) => cell.trim()).filter((cell) => cell !== "" && targetIn(cell) === null);
  const [only, ...more] = targets;
  if (only === undefined || more.length > 0) return targets.map(linkOf);
  const [title = "", tags = ""] = others;
  return [{ ...linkOf(only), title, tags }];
}

/** `left`: lines without a URL, as they were pasted. */
export function linksIn(text: string): { links: PastedLink[]; left: string[] } {
  const [first = [], ...rest] = cellsIn(text);
  const columns = columnsIn(first);
  const linksOf = (cells: readonly string[]): PastedLink[] => {
    if (columns === null) return linksOfLine(cells);
    const cell = (column: keyof PastedLink): string => cells[columns.get(column) ?? -1]?.trim() ?? "";
    const target = targetIn(cell("target"));
    return target === null ? [] : [{ target, code: cell("code"), title: cell("title"), tags: cell("tags") }];
  };
  const lines = (columns === null ? [first, ...rest] : rest).map((cells) => ({
    cells,
    links: linksOf(cells),
  }));
  const lost = lines.filter(({ links }) => links.length === 0);
  return {
    links: lines.flatMap(({ links }) => links),
    left: lost.map(({ cells }) => cells.join(" ").trim()).filter((line) => line !== ""),
  };
}
