/** Dub: the list of its API, as its reference describes it. */
import { z } from "zod";
import { listedReader, listedText as text } from "./listed-links.ts";
import { tagsCell } from "./reader.ts";

const AT_ONCE = 100;
/** The hosts of Dub itself; their codes come to the default domain. */
const SHARED_HOSTS = ["dub.sh", "dub.link"];

const link = z.object({
  domain: text,
  key: text,
  url: text,
  title: text.nullish(),
  comments: text.nullish(),
  tags: z
    .array(z.object({ name: text }))
    .max(1_000)
    .nullish(),
  createdAt: text.nullish(),
  expiresAt: text.nullish(),
  expiredUrl: text.nullish(),
  password: text.nullish(),
  clicks: z.int().nonnegative().nullish(),
  ios: text.nullish(),
  android: text.nullish(),
  geo: z.record(z.string().max(10), text).nullish(),
  archived: z.boolean().nullish(),
  proxy: z.boolean().nullish(),
  rewrite: z.boolean().nullish(),
});

/** Makes rules in the order in which Dub tries them. */
function rulesOf({ ios, android, geo }: z.infer<typeof link>): string {
  const rules = [
    ...(ios ? [{ if: { os: "iOS" }, target: ios }] : []),
    ...(android ? [{ if: { os: "Android" }, target: android }] : []),
    ...Object.entries(geo ?? {}).map(([country, target]) => ({ if: { country }, target })),
  ];
  return rules.length === 0 ? "" : JSON.stringify(rules);
}

export const dub = listedReader({
  title: "Dub",
  notImported: [
    "Visits are not imported, only the number of clicks of each link.",
    "Codes on dub.sh and dub.link come to the default domain; those addresses stay with Dub.",
    "Conversions, partners, folders and tests of targets are not imported.",
  ],
  key: "Dub asks for an API key of the workspace, with the scope links.read.",
  async page(api, after) {
    const number = Number(after ?? 1);
    const path = `/links?page=${number}&pageSize=${AT_ONCE}&sortBy=createdAt&sortOrder=asc&showArchived=true`;
    const found = z.array(z.unknown()).safeParse(await api(path)).data;
    return found && { records: found, next: found.length < AT_ONCE ? null : String(number + 1) };
  },
  record: link,
  links(found, lost) {
    if (found.archived) lost.push("It is archived in Dub; Waymark has no archive.");
    if (found.proxy) lost.push("Its own preview (title, description, image) is not imported.");
    if (found.rewrite) lost.push("Dub shows its target under the short URL; Waymark redirects.");
    const names = (found.tags ?? []).map(({ name }) => name);
    const tags = tagsCell(names, lost);
    return [
      {
        code: found.key,
        target: found.url,
        domain: SHARED_HOSTS.includes(found.domain) ? "" : found.domain,
        title: found.title ?? "",
        note: found.comments ?? "",
        tags,
        created_at: found.createdAt ?? "",
        expires_at: found.expiresAt ?? "",
        fallback_url: found.expiredUrl ?? "",
        password: found.password ?? "",
        click_count: String(found.clicks ?? ""),
        rules: rulesOf(found),
      },
    ];
  },
});
