/** What is done to all that a filter finds, call by call, and its undo. The tab keeps it, so that a reload goes on. */
import { answerOf, api, ApiError, type PostLinksBatchQueryBody } from "../../app/api.ts";
import { reachable } from "../../app/connection.ts";
import { conditionsOf, isFiltered, type LinkFinding } from "../link-search.ts";
import type { BulkChange } from "./bulk-change.ts";
import type { Course } from "./bulk-work.ts";

/** `change` names what is done so far to the server, for undo. */
export type ChangeRun = {
  kind: "delete" | "change";
  body: PostLinksBatchQueryBody;
  total: number;
  matched: number;
  changed: number;
  change?: string | undefined;
};
export type UndoRun = {
  kind: "undo";
  of: ChangeRun["kind"];
  change: string;
  /** Undefined: the server has gone through all. */
  after: number | undefined;
  total: number;
  restored: number;
  failed: number;
  /** Why the first of them failed. */
  refusal?: string | undefined;
};
export type FoundRun = ChangeRun | UndoRun;

const KEPT = "waymark-bulk";
const AT_ONCE = 1_000;

/** Without a change they are deleted. */
const bodyOf = (finding: LinkFinding, change: BulkChange | null): PostLinksBatchQueryBody => ({
  filter: conditionsOf(finding),
  ...(change === null
    ? { action: "delete" }
    : {
        action: "update",
        set: {
          ...(change.add.length > 0 && { add_tags: [...change.add] }),
          ...(change.remove.length > 0 && { remove_tags: [...change.remove] }),
          ...(change.expires !== undefined && { expires_at: change.expires ?? "" }),
        },
      }),
  ...(!isFiltered(finding) && { confirm: "all" }),
});

/** All that the server finds now. */
export const countFound = async (finding: LinkFinding, signal: AbortSignal): Promise<number> => {
  const body = { ...bodyOf(finding, null), dry_run: true };
  return (await answerOf(api.POST("/admin/v1/links/batch/query", { body, signal }))).data.matched;
};

export const changeRun = (finding: LinkFinding, change: BulkChange | null, total: number): ChangeRun => ({
  kind: change === null ? "delete" : "change",
  // The first call takes one link: its answer names the change, so that a reload loses nothing.
  body: { ...bodyOf(finding, change), limit: 1 },
  total,
  matched: 0,
  changed: 0,
});

export const undoRun = ({ kind, change = "", changed }: ChangeRun): UndoRun => ({
  kind: "undo",
  of: kind,
  change,
  after: 0,
  total: changed,
  restored: 0,
  failed: 0,
});

/** Null at the end. */
async function nextOf(run: FoundRun): Promise<FoundRun | null> {
  if (run.kind === "undo") {
    if (run.after === undefined) return null;
    const body = { change: run.change, after: run.after };
    const { data } = await answerOf(api.POST("/admin/v1/links/batch/undo", { body }));
    return {
      ...run,
      after: data.next ?? undefined,
      restored: run.restored + data.restored,
      failed: run.failed + data.failed.length,
      refusal: run.refusal ?? data.failed[0]?.error,
    };
  }
  const { body } = run;
  if (body.limit === undefined) return null;
  const { data } = await answerOf(api.POST("/admin/v1/links/batch/query", { body }));
  const { limit: _, cursor: __, ...same } = body;
  return {
    ...run,
    body: data.next === undefined ? same : { ...same, limit: AT_ONCE, cursor: data.next },
    matched: run.matched + data.matched,
    changed: run.changed + data.changed,
    change: run.change ?? data.change,
  };
}

const doneOf = (run: FoundRun): number => (run.kind === "undo" ? run.restored + run.failed : run.matched);

/** Whether the server has more to do. */
export const isOpen = (run: FoundRun): boolean =>
  run.kind === "undo" ? run.after !== undefined : run.body.limit !== undefined;

/** A network or server that is away is waited for, until a stop. The server does nothing twice. */
async function outlasted(cause: unknown, run: FoundRun, signal: AbortSignal): Promise<FoundRun> {
  if (!(cause instanceof ApiError) || cause.status !== 0) throw cause;
  const stop = Promise.withResolvers<void>();
  signal.addEventListener("abort", () => stop.resolve());
  await Promise.race([reachable(), stop.promise]);
  return run;
}

let isRunning = false;

/** Returns how far it came: to the end, a stop or a failure, which `onFailure` hears. */
export async function runFound<R extends FoundRun>(
  start: R,
  account: string,
  course: Course & { onFailure(error: Error): void },
): Promise<R> {
  let run: FoundRun = start;
  isRunning = true;
  try {
    while (!course.signal.aborted) {
      sessionStorage.setItem(KEPT, JSON.stringify({ account, run }));
      course.onDone(doneOf(run));
      const next: FoundRun | null = await nextOf(run).catch((error) => outlasted(error, run, course.signal));
      if (next === null) break;
      run = next;
    }
  } catch (error) {
    course.onFailure(error as Error);
  } finally {
    isRunning = false;
    sessionStorage.removeItem(KEPT);
  }
  return run as R;
}

/** What a reload of the page interrupted, of this account; once. */
export function interruptedRun(account: string): FoundRun | null {
  const kept = sessionStorage.getItem(KEPT);
  if (kept === null || isRunning) return null;
  const found = JSON.parse(kept) as { account: string; run: FoundRun };
  if (found.account !== account) return null;
  sessionStorage.removeItem(KEPT);
  return found.run;
}
