/** Moves many links to another domain, one by one, with what takes it back. */
import { answerOf, api, ApiError, type Link, type LinkPatch } from "../../app/api.ts";
import { changeLink } from "../link-queries.ts";
import type { BulkChange } from "./bulk-change.ts";

const AT_ONCE = 4;

/** How far it is, and whether it was stopped. */
export type Course = { signal: AbortSignal; onDone(done: number): void };

/** Runs a few at once. What has begun ends; nothing begins after a stop or a failure. */
async function overEach<T>(
  items: readonly T[],
  course: Course,
  run: (item: T) => Promise<void>,
): Promise<void> {
  let next = 0;
  let done = 0;
  let failure: unknown;
  const worker = async (): Promise<void> => {
    while (next < items.length && failure === undefined && !course.signal.aborted) {
      try {
        await run(items[next++]!);
        course.onDone(++done);
      } catch (error) {
        failure ??= error;
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  if (failure !== undefined) throw failure;
}

/** Tags join those that the server has by then. */
function patchOf({ add, remove, expires, domain }: BulkChange): LinkPatch {
  return {
    ...(add.length > 0 && { add_tags: [...add] }),
    ...(remove.length > 0 && { remove_tags: [...remove] }),
    ...(expires !== undefined && { expires_at: expires }),
    ...(domain !== undefined && { domain }),
  };
}

export type Moved = { link: Link; before: LinkPatch };

async function current({ code, domain }: Link): Promise<Link> {
  const params = { path: { code }, ...(domain !== null && { query: { domain } }) };
  return (await answerOf(api.GET("/admin/v1/links/{code}", { params }))).data;
}

/** Fills `moved`, also if it fails. */
export const moveLinks = (
  links: readonly Link[],
  change: BulkChange,
  course: Course,
  moved: Moved[],
): Promise<void> =>
  overEach(links, course, async (known) => {
    const link = await current(known);
    const patch = patchOf(change);
    const before: LinkPatch = {
      add_tags: change.remove.filter((tag) => link.tags.includes(tag)),
      remove_tags: change.add.filter((tag) => !link.tags.includes(tag)),
      ...("expires_at" in patch && { expires_at: link.expires_at }),
      domain: link.domain ?? "",
    };
    moved.push({ link: await changeLink(link, patch), before });
  });

/** What can't go back stays: the server's sentence of each. */
export type Refusals = string[];

async function orRefused(refusals: Refusals, back: Promise<unknown>): Promise<void> {
  try {
    await back;
  } catch (cause) {
    if (!(cause instanceof ApiError) || (cause.status !== 404 && cause.status !== 409)) throw cause;
    refusals.push(cause.message);
  }
}

/** Empties `left`, but for what a stop or a failure leaves. */
export const moveBack = (left: Moved[], course: Course, refusals: Refusals): Promise<void> =>
  overEach([...left], course, async (one) => {
    await orRefused(refusals, changeLink(one.link, one.before));
    left.splice(left.indexOf(one), 1);
  });
