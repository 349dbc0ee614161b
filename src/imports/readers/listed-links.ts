/** Links of an API that lists them in pages. */
import { z } from "zod";
import { appError } from "../../lib/errors.ts";
import { createJsonApi, type JsonApi } from "./json-api.ts";
import type { Source, SourceInput, SourceLink } from "./reader.ts";

export const listedText = z.string().max(32 * 1024);

const MOST_PAGES = 1_000_000;
/** One after another: a key-value store counts keys that have expired. */
const MOST_EMPTY = 1_000;

type Listing = {
  /** Which key it asks for, as a sentence. */
  key: string;
  headers(key: string): Record<string, string>;
  /** `after`: `next` of the page before. Undefined: the answer is another one than that of the product. */
  page(api: JsonApi, after: string | null): Promise<{ records: unknown[]; next: string | null } | undefined>;
  /** Of a record; null if it can't be read. */
  links(record: unknown): Omit<SourceLink, "place">[] | null;
};

/** @throws BadRequest that says what to do */
export async function listedLinks(input: SourceInput, listing: Listing): Promise<Source> {
  const { key } = input;
  if (!key) throw appError("BadRequest", listing.key);
  const api = createJsonApi(input, listing.headers(key));
  const pageAfter = async (after: string | null) => {
    const page = await listing.page(api, after);
    if (page !== undefined) return page;
    throw appError("BadRequest", `The address does not answer as expected. ${listing.key}`);
  };
  await pageAfter(null);
  return {
    size: {},
    async *links(after) {
      let place = 0;
      let next: string | null = null;
      let empty = 0;
      for (let pages = 0; pages < MOST_PAGES; pages++) {
        const page = await pageAfter(next);
        empty = page.records.length === 0 ? empty + 1 : 0;
        for (const record of page.records) {
          const links = listing.links(record);
          const made = links ?? [{ code: "", problem: "The record is not as the API describes it." }];
          for (const one of made) if (++place > after) yield { ...one, place };
        }
        if (page.next === null) return;
        if (page.next === next || empty === MOST_EMPTY)
          throw appError("BadRequest", "The list of links has no end.");
        next = page.next;
      }
    },
    async close() {},
  };
}
