/** Reports under the filter, over the history of click-history.ts. */
import type { DateRange } from "../../src/clicks/analytics/range.ts";
import type { Analytics } from "../../src/clicks/analytics/service.ts";
import { EVERYTHING, type LinkFilter } from "../../src/links/list/filter.ts";
import type { LinkSets } from "../../src/links/list/link-set.repository.ts";

export type AskSets = (analytics: Analytics, range: DateRange, sets: LinkSets) => Promise<unknown>;
type LinkQuery = Partial<LinkFilter>;

const TAG: LinkQuery = { tags: ["tag 8"] };
const OWNER: LinkQuery = { owners: [7] };
const DOMAIN: LinkQuery = { domain: 1 };
const chosen = (sets: LinkSets, filter: LinkQuery) =>
  sets.find({ ids: null, filter: { ...EVERYTHING, ...filter } });

/** From the sums of links. */
export const REPORTS_OF_LINKS: [string, AskSets][] = [
  ...(["link", "tag", "domain", "owner"] as const).map((by): [string, AskSets] => [
    `report by ${by}`,
    (analytics, range) => analytics.report(by, range, 100),
  ]),
  ...Object.entries({ tag: TAG, owner: OWNER, domain: DOMAIN }).flatMap(
    ([name, filter]): [string, AskSets][] => [
      [
        `trends by day, one ${name}`,
        async (analytics, range, sets) =>
          analytics.trend(range, "day", { links: await chosen(sets, filter) }),
      ],
      [
        `report by link, one ${name}`,
        async (analytics, range, sets) =>
          analytics.report("link", range, 100, { links: await chosen(sets, filter) }),
      ],
    ],
  ),
];

/** From a million rows of details. */
export const REPORTS_OF_VALUES: [string, AskSets][] = [
  [
    "trends by day, one channel",
    (analytics, range) => analytics.trend(range, "day", { values: { channel: "search" } }),
  ],
  [
    "report by utm_campaign, one channel",
    (analytics, range) => analytics.report("utm_campaign", range, 100, { values: { channel: "campaign" } }),
  ],
  [
    "report by link, one campaign",
    (analytics, range) => analytics.report("link", range, 100, { values: { utm_campaign: "campaign 7" } }),
  ],
  [
    "report by tag, one country",
    (analytics, range) => analytics.report("tag", range, 100, { values: { country: "DE" } }),
  ],
  [
    "report by os, one browser",
    (analytics, range) => analytics.report("os", range, 100, { values: { browser: "Firefox" } }),
  ],
  [
    "referrers, one language and tag",
    async (analytics, range, sets) =>
      analytics.referrers(range, 100, { values: { language: "de" }, links: await chosen(sets, TAG) }),
  ],
];
