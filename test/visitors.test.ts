/** Human and automated visits of the real program without detailed logging, over a kill. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Client, signIn, startSignedIn } from "./support/session.ts";
import { until } from "./support/until.ts";
import type { Installation, RunningWaymark } from "./support/waymark.ts";

const FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:132.0) Gecko/20100101 Firefox/132.0";

let installation: Installation;
let server: RunningWaymark;
let client: Client;

beforeAll(async () => {
  ({ installation, server, client } = await startSignedIn());
  await client.call("POST", "/links", { code: "a", target: "https://example.com/" });
});
afterAll(() => installation.remove());

const visit = (headers: Record<string, string>, method = "GET") =>
  fetch(`${server.url}/a`, { method, redirect: "manual", headers: { "User-Agent": FIREFOX, ...headers } });
const data = async (path: string) => (await client.call("GET", path)).body.data;

test("a person, a link preview, HEAD, a prefetch and an empty agent are told apart in every number", async () => {
  await visit({});
  await visit({ Accept: "text/html" });
  await visit({ "User-Agent": "WhatsApp/2.23.20.0" });
  await visit({ "Sec-Purpose": "prefetch;prerender" });
  await visit({ "User-Agent": "" });
  await visit({}, "HEAD");
  await server.kill();
  server = await installation.serve();
  client = await signIn(server.url);
  await until(async () => (await data("/stats")).total_clicks === 6);
  const both = { human_clicks: 2, automated_clicks: 4 };
  expect(await data("/stats?visitors=human")).toMatchObject({ total_clicks: 2, ...both });
  expect(await data("/links/a")).toMatchObject({ click_count: 6, human_clicks: 2 });
  expect(await data("/analytics/top?visitors=automated")).toMatchObject([{ code: "a", clicks: 4, ...both }]);
  const trend = await data("/analytics/trends?visitors=human");
  expect([trend.values.at(-1), trend.automated_clicks.at(-1)]).toEqual([2, 4]);
  const report = await client.call("GET", "/links/a/analytics");
  expect(report.body).toMatchObject({
    data: { total_clicks: 6, ...both, top_referrers: [] },
    details: false,
  });
});
