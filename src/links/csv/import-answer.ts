import type { AppError } from "../../lib/errors.ts";
import { chunked } from "../../lib/chunked.ts";
import type { ImportProgress, ImportResult, SpecifiedResult } from "./import-result.ts";

export type ToldResult = SpecifiedResult & Partial<ImportResult>;

/** A longer list is sent in pieces: in one piece it would block the event loop. */
const ITEMS_AT_ONCE = 500;
const PACE_MS = 400;

export const isLongResponse = ({ failed_items: failed, unread_items: unread }: ToldResult): boolean =>
  failed.length + unread.length > ITEMS_AT_ONCE;

export const importPieces = (result: ToldResult): AsyncGenerator<string, void> => piecesOf("{", result);

type Going = { latest(): ImportProgress | undefined; failureOf(thrown: unknown): AppError };

/**
 * `{"progress":[…],` with a line for each while the work runs, then the rest of the usual envelope, or that of a
 * failure. Work that ends at once answers without progress. A client that leaves ends nothing.
 */
export async function* importPiecesAsItGoes(
  work: Promise<ToldResult>,
  { latest, failureOf }: Going,
): AsyncGenerator<string, void> {
  const isOver = work.then(
    () => true,
    () => true,
  );
  let opening = `{"progress":[\n`;
  while (!(await Promise.race([isOver, Bun.sleep(PACE_MS).then(() => false)]))) {
    const now = latest();
    if (now === undefined) continue;
    yield `${opening}${JSON.stringify(now)}\n`;
    opening = ",";
  }
  // Before the first line a failure has its own status.
  if (opening !== ",") return yield* piecesOf("{", await work);
  const result = await work.catch(failureOf);
  if (result instanceof Error) yield `],${failure(result)}`;
  else yield* piecesOf("],", result);
}

const failure = ({ code, name, message, details }: AppError): string =>
  JSON.stringify({ code, error: name, message, data: details?.["data"] }).slice(1);

async function* piecesOf(
  opening: string,
  { failed_items: failed, unread_items: unread, ...counts }: ToldResult,
): AsyncGenerator<string, void> {
  yield `${opening}"code":0,"message":"OK","data":${JSON.stringify(counts).slice(0, -1)}`;
  yield* listPieces("failed_items", failed);
  yield* listPieces("unread_items", unread);
  yield "}}";
}

async function* listPieces(name: string, items: readonly object[]): AsyncGenerator<string, void> {
  yield `,"${name}":[`;
  let comma = "";
  for (const some of chunked(items, ITEMS_AT_ONCE)) {
    const text = JSON.stringify(some).slice(1, -1);
    await new Promise((resolve) => setImmediate(resolve));
    yield comma + text;
    comma = ",";
  }
  yield "]";
}
