/** `links update` and `links remove` of what a filter finds, and the undo of bulk changes. */
import type { Command } from "commander";
import type { CommandContext } from "../../platform/cli/command.ts";
import { createDefine, type OptionRow, type OptionsOf } from "../../platform/cli/define.ts";
import { pageResult, type Result } from "../../platform/cli/results.ts";
import type { Leases } from "../../platform/cluster/leases.ts";
import { type Actor, COMMAND } from "../../lib/actor.ts";
import { placeOf, timePlace } from "../../lib/cursor.ts";
import { appError } from "../../lib/errors.ts";
import { pluralize } from "../../lib/pluralize.ts";
import { parseFlag } from "../../lib/query-text.ts";
import { programName } from "../../lib/program-name.ts";
import { validated } from "../../lib/validated.ts";
import { bulkText, parseBulkId } from "../bulk-id.ts";
import { type QueryBatchInput, type QueryBatchResult, queryBatchSchema } from "../query-batch/query-batch.ts";
import { BULK_UNDO, type BulkChanges, type ShownBulkChange } from "./bulk-changes.ts";
import { viewOfBulkChange } from "./routes.ts";

type Links = {
  bulkChanges: BulkChanges;
  domains: { list(): readonly unknown[] };
  by(actor: Actor): { queryBatch(input: QueryBatchInput): Promise<QueryBatchResult> };
};

type Context = CommandContext<{ links: Links; leases: Pick<Leases, "hold"> }>;

export const FILTERING = [
  [
    "--filter <condition>",
    "instead of a code: all links that it finds, such as tag=spring, target=old.example or only_expired=true; repeat it for links that fulfil all; all: every link",
    { repeats: true },
  ],
  ["--dry-run", "with --filter: count the links and change nothing"],
  ["--yes", "do not ask"],
] as const satisfies readonly OptionRow[];

/** What only a change of many links takes. */
export const FOUND_CHANGES = [
  ["--add-tag <tag>", "with --filter: adds a tag; repeat it for several", { repeats: true }],
  ["--remove-tag <tag>", "with --filter: removes a tag; repeat it for several", { repeats: true }],
  ["--to-domain <host>", "with --filter: moves links to another domain; empty: the default one"],
  ["--replace <text>", "with --filter and --by: replaces a text in targets"],
  ["--by <text>", "what --replace writes instead"],
  [
    "--utm <name=value>",
    "with --filter: sets source, medium, campaign, term or content in targets; repeat it",
    { repeats: true },
  ],
] as const satisfies readonly OptionRow[];

/** Fields of the filter that are lists. */
const LISTS = ["tag", "not_tag"];
const AT_ONCE = 1_000;
const SHOWN = 50;
const LEASE_MS = 60_000;
const LOOK_MS = 300;

/** @throws BadRequest */
function filterOf(conditions: readonly string[]): Record<string, unknown> {
  const filter: Record<string, unknown> = {};
  for (const condition of conditions) {
    if (condition === "all") continue;
    const [, name = "", value = ""] = /^([a-z_-]+)=(.*)$/s.exec(condition) ?? [];
    if (name === "") {
      throw appError(
        "BadRequest",
        `--filter takes name=value, such as tag=spring, or all; not "${condition}".`,
      );
    }
    const field = name.replaceAll("-", "_");
    if (LISTS.includes(field)) filter[field] = [...((filter[field] as string[] | undefined) ?? []), value];
    else if (filter[field] !== undefined) throw appError("BadRequest", `--filter has ${field} twice.`);
    else filter[field] = field.startsWith("only_") ? parseFlag(field, value) : value;
  }
  return filter;
}

/** The change that options name. @throws BadRequest */
export function setOf(
  fields: Record<string, unknown>,
  { replace: text, by, utm, ...options }: OptionsOf<typeof FOUND_CHANGES>,
): Record<string, unknown> {
  if ((text === undefined) !== (by === undefined)) {
    throw appError("BadRequest", "--replace and --by go together.");
  }
  const set = {
    ...fields,
    add_tags: options.add_tag,
    remove_tags: options.remove_tag,
    domain: options.to_domain,
    replace_in_target: text === undefined ? undefined : { text, by },
    utm: utm && Object.fromEntries(utm.map(parseParameter)),
  };
  return Object.fromEntries(Object.entries(set).filter(([, value]) => value !== undefined));
}

function parseParameter(given: string): readonly [string, string] {
  const at = given.indexOf("=");
  if (at > 0) return [given.slice(0, at).replace(/^utm_/, ""), given.slice(at + 1)];
  throw appError("BadRequest", `--utm takes name=value, such as campaign=spring; not "${given}".`);
}

type Filtered = { filter: readonly string[]; dry_run: true | undefined; yes: true | undefined };

/** @param set the change; null deletes  @throws BadRequest */
export async function changeFound(
  { services, output, input: asking }: Context,
  { filter: conditions, dry_run: isTrial, yes }: Filtered,
  set: Record<string, unknown> | null,
): Promise<Result> {
  const action = set === null ? { action: "delete" } : { action: "update", set };
  const filter = filterOf(conditions);
  const confirm = conditions.includes("all") ? "all" : undefined;
  const request = validated(queryBatchSchema, { filter, ...action, confirm }, "The filter");
  const { links } = await services();
  const [verb, done] = set === null ? ["Delete", "deleted"] : ["Change", "changed"];
  const by = links.by(COMMAND);
  const { matched } = await by.queryBatch({ ...request, dry_run: true });
  const isOfOne = filter["domain"] === undefined && links.domains.list().length > 0;
  const notes = isOfOne ? ["Only links of the default domain; --filter 'domain=*' takes those of all."] : [];
  if (isTrial || matched === 0) {
    const found = `${pluralize(matched, "link")} would be ${done}. Nothing was changed.`;
    return { json: { matched, changed: 0 }, show: (to) => to.line(found), notes };
  }
  if (!yes && !(await asking.confirm(`${verb} ${pluralize(matched, "link")}?`))) {
    throw appError("BadRequest", "Nothing was changed; answer y, or use --yes.");
  }
  const bar = output.progress(`${verb} links`);
  const sum: QueryBatchResult = { matched: 0, changed: 0 };
  try {
    for (let next: string | undefined = ""; next !== undefined; ) {
      const part: QueryBatchResult = await by.queryBatch({
        ...request,
        limit: AT_ONCE,
        ...(next !== "" && { cursor: next }),
      });
      sum.matched += part.matched;
      sum.changed += part.changed;
      sum.first_error ??= part.first_error;
      sum.change ??= part.change;
      bar.update(sum.matched, matched);
      next = part.next;
    }
  } finally {
    bar.finish();
  }
  const { next: _, ...json } = sum;
  const left = sum.matched - sum.changed;
  return {
    json,
    show: (to) => to.line(`${pluralize(sum.changed, "link")} ${done}.`),
    notes: [
      ...notes,
      ...(left > 0
        ? [`${pluralize(left, "link")} not ${done}: ${sum.first_error ?? "nothing differs."}`]
        : []),
      ...(sum.change === undefined ? [] : [`Undo: ${programName()} links undo ${sum.change}`]),
    ],
  };
}

/** @param group the commands for links */
export function addBulkChangeCommands(group: Command, context: Context): void {
  const define = createDefine(group, context);

  define("changes", "list bulk changes of links, newest first, which `links undo` takes")
    .option("--cursor <place>", "the cursor that the previous page printed")
    .result(async ({ cursor }) => {
      const { links } = await context.services();
      const place = placeOf(timePlace, cursor);
      const after = place && { at: place.at, bulk: place.id };
      const { found, next } = await links.bulkChanges.page(COMMAND, after, SHOWN);
      return pageResult({
        name: "changes",
        rows: found.map(viewOfBulkChange),
        columns: ["at", "actor", "action", "links", "subject", "state", "restored", "change"],
        end: { next: next && bulkText(next) },
        none: "No bulk changes.",
      });
    });

  define("undo <change>", "undo a bulk change of links; a running server does it, else this command").result(
    async (_, text) => undoneResult(await undo(context, text)),
  );
}

async function undo({ services, output }: Context, text: string): Promise<ShownBulkChange> {
  const id = parseBulkId(text);
  const { links, leases } = await services();
  const { bulkChanges } = links;
  let change = await bulkChanges.undo(COMMAND, id);
  const bar = output.progress("Undoing");
  while (change.state === "undoing") {
    const working = leases.hold(BULK_UNDO, LEASE_MS, (lost) => bulkChanges.undoAll(lost)).then(() => true);
    const isOver = () => Promise.race([working, Bun.sleep(LOOK_MS).then(() => false)]);
    for (let isDone = false; !isDone; ) {
      isDone = await isOver();
      change = await bulkChanges.find(COMMAND, id);
      bar.update(change.restored + change.failed, change.links);
    }
    if (change.state === "undoing") await Bun.sleep(LOOK_MS);
  }
  bar.finish();
  return change;
}

function undoneResult(change: ShownBulkChange): Result {
  const { restored, failed, refusal } = change;
  if (failed > 0) process.exitCode = 3;
  return {
    json: viewOfBulkChange(change),
    show: (to) => to.line(`${pluralize(restored, "link")} as before.`),
    notes: failed === 0 ? [] : [`${pluralize(failed, "link")} stay as they are: ${refusal ?? ""}`],
  };
}
