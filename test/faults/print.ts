/** The fault table as text and as docs/faults.md. */
import { cpus, totalmem } from "node:os";
import { DIALECT_NAMES, type DialectName } from "../../src/platform/db/fresh.test-support.ts";

export type Line = {
  fault: string;
  database: DialectName;
  /** Empty when the fault was not tried or failed. */
  subject: string;
  rounds: number;
  answered: number;
  refused: number;
  lost: number;
  doubled: number;
  recoveryMs: number;
  /** Why it was not tried. */
  reason: string | null;
  /** Why it proves nothing. */
  failure: string | null;
  /** When it ended, and the machine's load average then. */
  at: string;
  load: number;
};

/** The reason of rows that had no time. */
export const OVER = "the time of the run was over";

const TITLES = { sqlite: "SQLite", postgres: "PostgreSQL", mysql: "MySQL", mariadb: "MariaDB" };
const HEADS = ["rounds", "answered", "lost", "doubled", "refused", "well again after"];

const cellsOf = (line: Line): string[] => {
  const { reason, failure, rounds, answered, lost, doubled, refused, recoveryMs } = line;
  if (reason !== null) return [`not tried: ${reason}`, "", "", "", "", ""];
  if (failure !== null) return [`failed: ${failure.split("\n")[0]}`, "", "", "", "", ""];
  const numbers = [rounds, answered, lost, doubled, refused].map(String);
  return [...numbers, `${(recoveryMs / 1000).toFixed(1)} s`];
};

export function textOf(lines: readonly Line[]): string {
  const rows = [
    ["fault", "database", "what", ...HEADS],
    ...lines.map((line) => [line.fault, line.database, line.subject, ...cellsOf(line)]),
  ];
  const widths = rows[0]!.map((_, at) => Math.min(64, Math.max(...rows.map((row) => row[at]!.length))));
  return rows
    .map((row) =>
      row
        .map((cell, at) => cell.padEnd(widths[at]!))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

const markdownRow = (cells: readonly string[]): string => `| ${cells.join(" | ")} |\n`;

/** The page says how many rows had no time, instead of listing them. */
export function markdownOf(lines: readonly Line[]): string {
  const tried = lines.filter(({ reason }) => reason !== OVER);
  const rest = lines.length - tried.length;
  const sum = (part: (line: Line) => number) => lines.reduce((all, line) => all + part(line), 0);
  const count = (number: number) => number.toLocaleString("en");
  const days = [...new Set(tried.map(({ at }) => at.slice(0, 10)))].toSorted();
  const loads = tried.map(({ load }) => load);
  const memory = Math.round(totalmem() / 2 ** 30);
  let page = `# What faults cost

\`npm run faults\` causes each fault of this table under load, then compares every answer with what is stored. It made this page on ${days.join(" and ")}, on a machine with ${cpus().length} cores and ${memory} GiB, whose load average was ${Math.min(...loads)} to ${Math.max(...loads)}: times are long where the machine was busy with other work. Of ${count(sum(({ answered }) => answered))} answered calls ${count(sum(({ lost }) => lost))} were lost and ${count(sum(({ doubled }) => doubled))} happened twice.${rest === 0 ? "" : ` The time of the run was over before ${rest} further faults, on these or other databases; \`npm run faults\` tries them.`}

- **answered**: redirects, changed links, stored files, links of which a webhook was told, restored backups. Known links redirect while the database or a disk is away; a redirect that failed is lost.
- **lost**: answered, and not there, not counted or wrong. **doubled**: counted or told twice.
- **refused**: answered with a status that says so, such as 503 or 507. Nothing of it is half done.
- **well again after**: the longest time from the end of the fault, with the start of what was killed, until each node is healthy and takes links and files.

What a fault can take with it: a disk that turns read-only takes answered clicks that the kernel had not written from the journal yet, and so does a loss of power. Therefore the journal is on another disk than the one that turns read-only here.

Links, files and clicks are changed by two nodes, with SQLite by one. A disk has one node. Databases run with commits that survive the kill of the server. Clocks jump by \`libfaketime\`, disks of 192 to 256 MiB are filled to the last byte or made read-only by the kernel under open files, syncs are slowed in the C library, and cut cables are those of a network namespace.
`;
  for (const database of DIALECT_NAMES) {
    const own = tried.filter((line) => line.database === database);
    if (own.length === 0) continue;
    page += `\n## ${TITLES[database]}\n\n`;
    page += markdownRow(["Fault", "What", ...HEADS]);
    page += markdownRow(["---", "---", ...HEADS.map(() => "--:")]);
    let last = "";
    for (const line of own) {
      page += markdownRow([line.fault === last ? "" : line.fault, line.subject, ...cellsOf(line)]);
      last = line.fault;
    }
  }
  return page;
}
