/** What waits while the database is away goes out soon after it is back: two nodes, each with its jobs. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  type DialectName,
  HALF,
  SERVER_VARIABLES,
  serverUrl,
} from "../src/platform/db/fresh.test-support.ts";
import { type Cluster, health, startCluster } from "./support/cluster.ts";
import { type MailServer, startMailServer } from "./support/mail-server.ts";
import { until } from "./support/until.ts";

function tell(name: DialectName): void {
  let cluster: Cluster;
  let smtp: MailServer;
  let receiver: ReturnType<typeof Bun.serve>;
  const heard: string[] = [];

  beforeAll(async () => {
    smtp = await startMailServer();
    receiver = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      async fetch(request) {
        const { data } = (await request.json()) as { data: { subject?: string } };
        if (data.subject) heard.push(data.subject);
        return new Response(null, { status: 204 });
      },
    });
    const settings = {
      ...smtp.settings,
      WAYMARK__STORAGE__SECRET_KEY: "ab".repeat(32),
      WAYMARK__WEBHOOKS__ALLOW_PRIVATE: "true",
    };
    cluster = await startCluster({ dialect: name, redisUrl: "", nodes: 2, workers: 1, links: [], settings });
  });
  afterAll(async () => {
    await cluster?.remove();
    await receiver?.stop(true);
    smtp?.stop();
  });

  test("webhooks and mails go on, each once, when the database is back", async () => {
    const [first] = cluster.nodes;
    const call = async (path: string, body: object) => {
      const answer = await first!.client().call("POST", path, body);
      expect([path, answer.status]).toEqual([path, 201]);
    };
    const happen = async (code: string) => {
      await call("/links", { code, target: "https://example.com/" });
      await call("/mail/test", { to: `${code}@example.com` });
    };
    await call("/webhooks", { url: `http://127.0.0.1:${receiver.port}/`, events: ["link.created"] });
    await happen("before");
    await until(() => heard.length === 1 && smtp.mails.length === 1);
    for (const { database } of cluster.nodes) database.sever();
    await until(async () => (await first!.client().call("GET", "/links")).status === 503);
    // As long as a restart of a database takes.
    await Bun.sleep(5_000);
    for (const { database } of cluster.nodes) database.heal();
    await until(async () => (await health(first!)).status === "healthy");
    await happen("after");
    await until(() => heard.length >= 2 && smtp.mails.length >= 2);
    expect([heard, smtp.mails.length]).toEqual([["before", "after"], 2]);
  }, 120_000);
}

for (const name of ["postgres", "mysql", "mariadb"] as const) {
  if (!HALF.includes(name)) continue;
  const isMissing = serverUrl(name) === undefined;
  describe.skipIf(isMissing)(
    `an outage of ${name}${isMissing ? ` (${SERVER_VARIABLES[name]} is not set)` : ""}`,
    () => tell(name),
  );
}
