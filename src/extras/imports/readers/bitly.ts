/** Bitly: the links of a group by version 4 of its API, as its reference describes it. */
import { z } from "zod";
import { listedReader, listedText as text } from "./listed-links.ts";
import { tagsCell } from "./reader.ts";
import { asciiLower } from "../../../lib/ascii-lower.ts";

const AT_ONCE = 100;
/** The hosts of Bitly itself; their codes come to the default domain. */
const SHARED_HOSTS = ["bit.ly", "j.mp", "bitly.com"];

const link = z.object({
  id: text,
  long_url: text,
  title: text.nullish(),
  tags: z.array(text).max(1_000).nullish(),
  created_at: text.nullish(),
  archived: z.boolean().nullish(),
  custom_bitlinks: z.array(text).max(100).nullish(),
  deeplinks: z.array(z.unknown()).nullish(),
});
const page = z.object({
  links: z.array(z.unknown()),
  pagination: z.object({ search_after: text.nullish(), next: text.nullish() }).nullish(),
});

/** Bitly writes `+0000`. */
const instant = (given: string): string => given.replace(/([+-]\d\d)(\d\d)$/, "$1:$2");

/** `bit.ly/code` or `https://bit.ly/code`. */
function placeOf(address: string): { code: string; domain: string } {
  const plain = address.slice(address.indexOf("://") === -1 ? 0 : address.indexOf("://") + 3);
  const slash = plain.indexOf("/");
  const domain = asciiLower(plain.slice(0, Math.max(0, slash)));
  return { code: plain.slice(slash + 1), domain: SHARED_HOSTS.includes(domain) ? "" : domain };
}

export const bitly = listedReader({
  title: "Bitly",
  notImported: [
    "Bitly's list of links has no clicks; neither their number nor their dates are imported.",
    "Codes on bit.ly and j.mp come to the default domain; those addresses stay with Bitly.",
    "A link with several back-halves becomes several links.",
  ],
  key: "Bitly asks for an access token. The address is https://api-ssl.bitly.com/v4/groups/ and the GUID of the group.",
  async page(api, after) {
    const search = after === null ? "" : `&search_after=${encodeURIComponent(after)}`;
    const found = page.safeParse(await api(`/bitlinks?size=${AT_ONCE}&archived=both${search}`)).data;
    const { next, search_after: cursor } = found?.pagination ?? {};
    return found && { records: found.links, next: (next && cursor) || null };
  },
  record: link,
  links(found, lost) {
    if (found.archived) lost.push("It is hidden in Bitly; Waymark shows it in its lists.");
    if (found.deeplinks && found.deeplinks.length > 0) lost.push("Its deep links to apps are not imported.");
    const tags = tagsCell(found.tags ?? [], lost);
    const addresses = [found.id, ...(found.custom_bitlinks ?? [])].map(placeOf);
    const places = new Map(addresses.map((one) => [`${one.domain}/${one.code}`, one]));
    return [...places.values()].map((position) => ({
      ...position,
      target: found.long_url,
      title: found.title ?? "",
      tags,
      created_at: instant(found.created_at ?? ""),
    }));
  },
});
