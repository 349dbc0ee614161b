/** Sink: the list of its API. */
import { z } from "zod";
import { formatRfc3339 } from "../../../lib/rfc3339.ts";
import { listedReader, listedText as text } from "./listed-links.ts";

const AT_ONCE = 100;
const seconds = z.int().min(0).max(253_402_300_799);

const link = z.looseObject({
  url: text,
  slug: text,
  comment: text.nullish(),
  title: text.nullish(),
  createdAt: seconds.nullish(),
  expiration: seconds.nullish(),
});
const page = z.object({
  links: z.array(z.unknown()),
  list_complete: z.boolean(),
  cursor: text.nullish(),
});
const KNOWN = ["id", "url", "slug", "comment", "title", "createdAt", "updatedAt", "expiration"];

const instant = (at: number | null | undefined): string => (at ? formatRfc3339(at * 1_000) : "");

export const sink = listedReader({
  title: "Sink",
  notImported: [
    "Sink finds codes in any case unless NUXT_CASE_SENSITIVE is set; Waymark finds them as they are written.",
    "Sink's API has no number of clicks of a link, and its visits are samples that Cloudflare keeps for three months; neither is imported.",
  ],
  key: "Sink asks for its site token (NUXT_SITE_TOKEN).",
  async page(api, after) {
    const cursor = after === null ? "" : `&cursor=${encodeURIComponent(after)}`;
    const found = page.safeParse(await api(`/api/link/list?limit=${AT_ONCE}${cursor}`)).data;
    return found && { records: found.links, next: found.list_complete ? null : (found.cursor ?? null) };
  },
  record: link,
  links(found, lost) {
    const others = Object.keys(found).filter((name) => !KNOWN.includes(name) && found[name]);
    lost.push(...others.slice(0, 10).map((name) => `${name.slice(0, 50)} is not imported.`));
    return [
      {
        code: found.slug,
        target: found.url,
        title: found.title ?? "",
        note: found.comment ?? "",
        created_at: instant(found.createdAt),
        expires_at: instant(found.expiration),
      },
    ];
  },
});
