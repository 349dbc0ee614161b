import { expect, test } from "bun:test";
import { createLiveFilter, type LiveClick, type LiveSecond } from "./live-clicks.ts";

const click = (linkId: number, isAutomated: boolean, browser: string | null): LiveClick => ({
  linkId,
  atMs: linkId,
  isAutomated,
  source: null,
  values:
    browser === null
      ? null
      : {
          browser,
          os: null,
          device: null,
          channel: "search",
          language: null,
          referrer: null,
          site: null,
          rule: null,
          utm_source: null,
          utm_medium: null,
          utm_campaign: "spring",
          utm_term: null,
          utm_content: null,
        },
});

const SECOND: LiveSecond = {
  atMs: 0,
  rate: { clicks: 50, automated: 10 },
  newest: [
    click(1, false, "Chrome"),
    click(2, false, "Firefox"),
    click(2, true, "Chrome"),
    click(3, true, null),
  ],
};

test("links, values and visitors choose clicks; rates are their share", async () => {
  const queries: (readonly number[])[] = [];
  const filtered = (ids: number[] | null, values = {}, visitors: "all" | "human" | "automated" = "all") =>
    createLiveFilter({
      choose: async (among) => {
        queries.push(among);
        return ids && { ids };
      },
      values,
      visitors,
    })(SECOND);
  const all = await filtered(null);
  expect([all.rate, all.shown, all.newest.length]).toEqual([{ clicks: 50, automated: 10 }, 50, 4]);
  const two = await filtered([2]);
  expect([two.rate, two.newest.map(({ linkId }) => linkId)]).toEqual([{ clicks: 25, automated: 5 }, [2, 2]]);
  const chrome = await filtered(null, { browser: "Chrome", utm_campaign: "spring" }, "human");
  expect([chrome.shown, chrome.rate.automated, chrome.newest.length]).toEqual([20, 5, 1]);
  expect((await filtered([], {}, "automated")).shown).toBe(0);
  expect(queries[0]).toEqual([1, 2, 3]);
});
