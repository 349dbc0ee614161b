/** Settings that need a restart are in force after the one that the API asks for, and no click is lost meanwhile. */
import { expect, test } from "bun:test";
import { startSignedIn } from "./support/session.ts";
import { until } from "./support/until.ts";

const KEY = "analytics.enable_detailed_logging";

test.each(["1", "2"])("with %s workers the server starts anew while it answers", async (workers) => {
  const { installation, server, client } = await startSignedIn({ WAYMARK__SERVER__WORKERS: workers });
  try {
    await client.call("POST", "/links", { code: "here", target: "https://example.com/" });
    const visit = () =>
      fetch(`${server.url}/here`, {
        redirect: "manual",
        headers: { "User-Agent": "Mozilla/5.0 Firefox/140" },
      });
    const setting = async () => (await client.call("GET", `/config/${KEY}`)).body.data;
    await client.call("PUT", `/config/${KEY}`, { value: "true" });
    expect(await setting()).toMatchObject({ value: "false", pending_value: "true" });
    expect((await client.call("POST", "/config/restart")).status).toBe(202);
    let visits = 0;
    await until(async () => {
      expect((await visit()).status).toBe(307);
      visits++;
      return (await setting()).value === "true";
    });
    expect(await setting()).not.toHaveProperty("pending_value");
    const clicks = async () => (await client.call("GET", "/links/here")).body.data.click_count;
    await until(async () => (await clicks()) === visits);
  } finally {
    await installation.remove();
  }
});
