/** What `waymark successor clicks` writes: sums of hours, of links that are here already. */
import { appError } from "../../../lib/errors.ts";
import { parseRfc3339 } from "../../../lib/rfc3339.ts";
import { csvRows } from "./csv.ts";
import type { Reader, SourceProblem, SourceVisit } from "./reader.ts";

const HEADER = "waymark successor clicks 1";
const COUNT = /^\d{1,12}$/;
const UUID = /^[0-9a-f-]{36}$/;

type Sum = { position: number; code: string; domain: string; at: number; clicks: number; automated: number };

/** The rows after the two headers. */
async function* sumsIn(path: string): AsyncGenerator<Sum | SourceProblem, void> {
  for await (const { row, fields, problem } of csvRows(path, ",")) {
    if (row <= 2) continue;
    // One for people, one for automated visitors.
    const position = 2 * row;
    const [code = "", domain = "", hour = "", clicks = "", automated = ""] = fields;
    const at = parseRfc3339(hour);
    const isRead = problem === null && COUNT.test(clicks) && COUNT.test(automated) && at !== null;
    if (!isRead || Number(automated) > Number(clicks)) {
      yield { position, code: code.slice(0, 200), problem: "The row can't be read." };
    } else yield { position, code, domain, at, clicks: Number(clicks), automated: Number(automated) };
  }
}

async function firstRow(path: string): Promise<readonly string[]> {
  for await (const { fields } of csvRows(path, ",")) return fields;
  return [];
}

export const successor: Reader = {
  title: "a successor of Waymark",
  takes: ["file"],
  notImported: ["A successor counts by hour; its clicks have no referrers, countries and browsers."],
  async open({ source }) {
    const [title, id = "", total = ""] = await firstRow(source);
    if (title !== HEADER || !UUID.test(id) || !COUNT.test(total)) {
      throw appError("BadRequest", "The file is none that 'waymark successor clicks' wrote.");
    }
    let found = 0;
    for await (const sum of sumsIn(source)) found += "clicks" in sum ? sum.clicks : 0;
    if (found !== Number(total)) {
      throw appError("BadRequest", `The file has ${found} of ${total} clicks; copy it again.`);
    }
    return {
      size: { visits: found },
      origin: id,
      async *links() {},
      async *visits(after) {
        for await (const sum of sumsIn(source)) {
          if ("problem" in sum) {
            if (sum.position > after) yield sum;
            continue;
          }
          const { position, clicks, automated, domain, ...visit } = sum;
          const ofDomain = { ...visit, ...(domain !== "" && { domain }), isOurs: true as const };
          for (const [at, count] of [clicks - automated, automated].entries()) {
            const one: SourceVisit = { ...ofDomain, position: position + at, count, automated: at === 1 };
            if (count > 0 && one.position > after) yield one;
          }
        }
      },
    };
  },
};
