/** Reading all links once, newest first, in pages of a bounded size; the order is the one in which they lie. */
import type { Database } from "../../db/database.ts";
import type { StoredLink } from "./cached-link.ts";

const PAGE = 1000;

/** Both iterate over what each page's moment holds: a link made meanwhile may be missing, none comes twice. */
export function createLinkScan({ read }: Pick<Database, "read">) {
  return {
    async *links(): AsyncGenerator<StoredLink[]> {
      for (let before = Number.MAX_SAFE_INTEGER; ; ) {
        const page = await read
          .selectFrom("links")
          .select(["id", "code", "target", "expires_at as expiresAt"])
          .where("id", "<", before)
          .orderBy("id", "desc")
          .limit(PAGE)
          .execute();
        if (page.length > 0) yield page;
        if (page.length < PAGE) return;
        before = page.at(-1)!.id;
      }
    },

    /** Of the links with a smaller id, or of all. */
    async *codes(beforeId: number | null): AsyncGenerator<string[]> {
      for (let before = beforeId ?? Number.MAX_SAFE_INTEGER; ; ) {
        const page = await read
          .selectFrom("links")
          .select(["id", "code"])
          .where("id", "<", before)
          .orderBy("id", "desc")
          .limit(PAGE)
          .execute();
        if (page.length > 0) yield page.map((row) => row.code);
        if (page.length < PAGE) return;
        before = page.at(-1)!.id;
      }
    },
  };
}
