/** The first search of each word, over the links of bench/links.ts. */
import type { ActorLinks } from "../../src/links/actor-links.ts";
import { linkQueryOf } from "../../src/links/list/page.ts";

const WORDS = 40;
const TRIED = 5;
const MOST_MS = 120_000;
const PARTS = ["needle", "medium/", "frequent/", "other/", "campaign ", "view-item?ref=newsletter&n=", "sh"];

/** No two are the same, as while somebody types: of two letters or more, few or many links have them. */
function newWords(from: number, count: number): string[] {
  return Array.from({ length: count }, (_, at) => {
    const hash = Bun.hash(`word ${from} ${at}`).toString(36);
    return at % 2 === 0
      ? hash.slice(0, 2 + (at % 5))
      : `${PARTS[at % PARTS.length]}${hash.slice(0, 1 + (at % 2))}`;
  });
}

/** Milliseconds at once after the start (the median), and in order once searches are three times as fast. */
export async function timeNewWords(links: ActorLinks, now: number) {
  const times = async (words: readonly string[]): Promise<number[]> => {
    const all: number[] = [];
    for (const search of words) {
      const start = performance.now();
      await links.list(linkQueryOf({ search }, now));
      all.push(performance.now() - start);
    }
    return all.sort((a, b) => a - b);
  };
  await links.list(linkQueryOf({}, now));
  const begun = performance.now();
  const atOnce = (await times(newWords(1, TRIED)))[2]!;
  for (let tries = 2; performance.now() - begun < MOST_MS; tries++) {
    if ((await times(newWords(tries, TRIED)))[3]! < atOnce / 3) break;
    await Bun.sleep(250);
  }
  const readySeconds = (performance.now() - begun) / 1000;
  return { atOnce, readySeconds, found: await times(newWords(0, WORDS)) };
}
