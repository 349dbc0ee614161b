/**
 * Scrapes the metrics repeatedly over one connection, as Prometheus does, in its own process: `scraper.ts PORT TOKEN
 * COUNT PAUSE_MS`. Requests /health/live in between. Prints the milliseconds of each as one line of JSON.
 */
export type Scraped = { scrapes: number[]; live: number[] };

const [port, token = "", count, pauseMs] = process.argv.slice(2);
const WARM_UP = 5;

async function time(path: string, isIt: (answer: Response, text: string) => boolean): Promise<number> {
  const begun = performance.now();
  const answer = await fetch(`http://127.0.0.1:${port}/health/${path}`, {
    headers: { Authorization: `Bearer ${token}` },
  });
  const text = await answer.text();
  if (!isIt(answer, text)) throw new Error(`${path} answered ${answer.status}: ${text}`);
  return performance.now() - begun;
}

const scraped: Scraped = { scrapes: [], live: [] };
for (let at = -WARM_UP; at < Number(count); at++) {
  const scrape = await time("metrics", (_, text) => text.includes("svc_clicks_buffer_entries"));
  await Bun.sleep(Number(pauseMs) / 2);
  const live = await time("live", ({ status }) => status === 204);
  await Bun.sleep(Number(pauseMs) / 2);
  if (at < 0) continue;
  scraped.scrapes.push(scrape);
  scraped.live.push(live);
}
console.log(JSON.stringify(scraped));
