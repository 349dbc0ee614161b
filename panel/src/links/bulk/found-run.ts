/**
 * Changes selected links, or all that a filter finds, call by call; the tab keeps the state, so a reload continues. The
 * server undoes that by itself, and the tab looks how far it is.
 */
import { responseOf, api, ApiError, type Link, type PostLinksBatchQueryBody } from "../../base/api.ts";
import { reachable } from "../../base/connection.ts";
import { conditionsOf, isFiltered, type LinkFinding, filterOf } from "../link-search.ts";
import { countOfSelected, type Selected } from "../list/selection.ts";
import type { LinksChange } from "./bulk-change.ts";

/** Reports progress, and whether it was stopped. */
export type Course = { signal: AbortSignal; onDone(done: number): void };

type Named = Pick<Link, "code" | "domain">;

export type ChangeRun = {
  kind: "delete" | "change";
  body: PostLinksBatchQueryBody;
  /** Selected links that remain; absent for a filter. */
  left?: readonly Named[];
  /** The server has more to do. */
  isOpen: boolean;
  total: number;
  matched: number;
  changed: number;
  /** Why the first unchanged link stays. */
  refusal?: string | undefined;
  /** An answer may be lost: the server knows how many links it has changed. */
  isUnsure?: true;
  /** Identifies what is done so far, for undo. */
  change?: string | undefined;
};
export type UndoRun = {
  kind: "undo";
  of: ChangeRun["kind"];
  change: string;
  /** The server has begun, and then more to do. */
  isBegun: boolean;
  isOpen: boolean;
  total: number;
  restored: number;
  failed: number;
  /** Why the first of them failed. */
  refusal?: string | undefined;
};
export type FoundRun = ChangeRun | UndoRun;

const KEPT = "waymark-bulk";
const AT_ONCE = 1_000;
const LOOK_MS = 400;
/** Consecutive calls that fail although the server is reachable. */
const MOST_MISSES = 5;

/** Without a change the links are deleted. */
const actionOf = (change: LinksChange | null): Pick<PostLinksBatchQueryBody, "action" | "set"> =>
  change === null
    ? { action: "delete" }
    : {
        action: "update",
        set: {
          ...(change.add.length > 0 && { add_tags: [...change.add] }),
          ...(change.remove.length > 0 && { remove_tags: [...change.remove] }),
          ...(change.expires !== undefined && { expires_at: change.expires ?? "" }),
          ...(change.domain !== undefined && { domain: change.domain }),
          ...(change.owner !== undefined && { owner: change.owner }),
          ...(change.replace && { replace_in_target: change.replace }),
          ...(change.utm && { utm: change.utm }),
        },
      };

const bodyOf = (finding: LinkFinding, change: LinksChange | null): PostLinksBatchQueryBody => ({
  filter: conditionsOf(finding),
  ...actionOf(change),
  ...(!isFiltered(finding) && { confirm: "all" }),
});

/** The number of links that the server finds now. */
export const countFound = async (finding: LinkFinding, signal: AbortSignal): Promise<number> => {
  const body = { ...bodyOf(finding, null), dry_run: true };
  return (await responseOf(api.POST("/admin/v1/links/batch/query", { body, signal }))).data.matched;
};

/** So many links are looked at for an example. */
const LOOKED_AT = 100;

/** How many of the selected links have the text in their target, and one of the targets. */
export async function replaceable(
  selected: Selected,
  text: string,
  signal: AbortSignal,
): Promise<{ matched: number; example: string | undefined }> {
  if (selected.kind === "some") {
    const targets = [...selected.links.values()].map(({ target }) => target);
    const matching = targets.filter((target) => target.includes(text));
    return { matched: matching.length, example: matching[0] };
  }
  const { finding } = selected;
  // Both texts of a target: the server takes one, and the list has the other.
  const narrowed = finding.target === undefined ? { ...finding, target: text } : finding;
  const query = { ...filterOf(narrowed), page: 1, page_size: LOOKED_AT, total: false };
  const [matched, { data }] = await Promise.all([
    countFound(narrowed, signal),
    responseOf(api.GET("/admin/v1/links", { params: { query }, signal })),
  ]);
  const matching = data.filter(({ target }) => target.includes(text));
  return {
    matched: data.length < LOOKED_AT ? matching.length : matched,
    example: matching[0]?.target,
  };
}

export const changeRun = (selected: Selected, change: LinksChange | null): ChangeRun => ({
  kind: change === null ? "delete" : "change",
  // The first call handles one link: its answer names the change, so a reload loses nothing.
  ...(selected.kind === "all"
    ? { body: { ...bodyOf(selected.finding, change), limit: 1 } }
    : {
        body: { filter: {}, ...actionOf(change) },
        left: [...selected.links.values()].map(({ code, domain }) => ({ code, domain })),
      }),
  isOpen: true,
  total: countOfSelected(selected),
  matched: 0,
  changed: 0,
});

export const undoRun = ({
  kind,
  change = "",
  changed,
}: Pick<ChangeRun, "kind" | "change" | "changed">): UndoRun => ({
  kind: "undo",
  of: kind,
  change,
  isBegun: false,
  isOpen: true,
  total: changed,
  restored: 0,
  failed: 0,
});

/** Null at the end. */
async function nextOf(run: FoundRun): Promise<FoundRun | null> {
  if (!run.isOpen) return null;
  if (run.kind !== "undo") return nextOfChange(run);
  const { data } = run.isBegun ? await bulkChangeLater(run.change) : await undoBulkChange(run.change);
  const { state, restored, failed, refusal } = data;
  return {
    ...run,
    isBegun: true,
    isOpen: state === "undoing",
    restored,
    failed,
    refusal: refusal ?? undefined,
  };
}

/** The server begins, and goes on by itself. */
export const undoBulkChange = (change: string) =>
  responseOf(api.POST("/admin/v1/bulk-changes/{change}/undo", { params: { path: { change } } }));

async function bulkChangeLater(change: string) {
  await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  return responseOf(api.GET("/admin/v1/bulk-changes/{change}", { params: { path: { change } } }));
}

async function nextOfChange(run: ChangeRun): Promise<ChangeRun> {
  const { body, left } = run;
  const some = left?.slice(0, left.length === run.total ? 1 : AT_ONCE);
  const rest = some && left?.slice(some.length);
  const requested =
    some === undefined
      ? body
      : { ...body, filter: { codes: some }, ...(run.change !== undefined && { change: run.change }) };
  const { data } = await responseOf(api.POST("/admin/v1/links/batch/query", { body: requested }));
  return {
    ...run,
    ...(rest && { left: rest }),
    ...(data.next !== undefined && { body: { ...body, limit: AT_ONCE, cursor: data.next } }),
    isOpen: rest === undefined ? data.next !== undefined : rest.length > 0,
    matched: run.matched + data.matched,
    changed: run.changed + data.changed,
    refusal: run.refusal ?? data.first_error,
    change: run.change ?? data.change,
  };
}

/** Selected links may be gone; they count too. */
function doneOf(run: FoundRun): number {
  if (run.kind === "undo") return run.restored + run.failed;
  return run.left === undefined ? run.matched : run.total - run.left.length;
}

/** Waits for a network or server that is away, until a stop. The server does nothing twice. */
async function outlasted(cause: unknown, run: FoundRun, signal: AbortSignal): Promise<FoundRun> {
  if (!(cause instanceof ApiError) || cause.status !== 0) throw cause;
  const stop = Promise.withResolvers<void>();
  signal.addEventListener("abort", () => stop.resolve());
  await Promise.race([reachable(), stop.promise]);
  return unsure(run);
}

const unsure = (run: FoundRun): FoundRun => (run.kind === "undo" ? run : { ...run, isUnsure: true });

async function counted(run: FoundRun): Promise<FoundRun> {
  if (run.kind === "undo" || run.isUnsure === undefined || run.change === undefined) return run;
  // Only the number of changed links matters here, so the filter finds nothing.
  const body: PostLinksBatchQueryBody = {
    filter: { codes: ["-"] },
    action: "delete",
    change: run.change,
    dry_run: true,
  };
  const { data } = await responseOf(api.POST("/admin/v1/links/batch/query", { body }));
  return { ...run, changed: data.changed };
}

let isRunning = false;

/** A selection too long for the tab's storage continues only until a reload. */
function keep(account: string, run: FoundRun): void {
  try {
    sessionStorage.setItem(KEPT, JSON.stringify({ account, run }));
  } catch {
    sessionStorage.removeItem(KEPT);
  }
}

/** Returns how far it came: to the end, a stop or a failure, which `onFailure` receives. */
export async function runFound<R extends FoundRun>(
  start: R,
  account: string,
  course: Course & { onFailure(error: Error): void },
): Promise<R> {
  let run: FoundRun = start;
  let misses = 0;
  isRunning = true;
  try {
    while (!course.signal.aborted) {
      keep(account, run);
      course.onDone(doneOf(run));
      const next: FoundRun | null = await nextOf(run).then(
        (found) => {
          misses = 0;
          return found;
        },
        (error) => {
          if (++misses > MOST_MISSES) throw error;
          return outlasted(error, run, course.signal);
        },
      );
      if (next === null) break;
      run = next;
    }
  } catch (error) {
    course.onFailure(error as Error);
  } finally {
    isRunning = false;
    sessionStorage.removeItem(KEPT);
  }
  return (await counted(run).catch(() => run)) as R;
}

/** The work of this account that a reload interrupted. Returns it once. */
export function interruptedRun(account: string): FoundRun | null {
  const kept = sessionStorage.getItem(KEPT);
  if (kept === null || isRunning) return null;
  const found = JSON.parse(kept) as { account: string; run: FoundRun };
  if (found.account !== account) return null;
  sessionStorage.removeItem(KEPT);
  return unsure(found.run);
}
