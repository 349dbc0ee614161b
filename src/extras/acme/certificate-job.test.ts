/** What the job does while an authority is away, or says no. */
import { beforeEach, expect, test } from "bun:test";
import type { Database } from "../../platform/db/database.ts";
import { forEachDialect } from "../../platform/db/for-each-dialect.test-support.ts";
import { createAcme } from "./acme.ts";
import { startJob } from "./certificate-job.test-support.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const DIRECTORY = "https://authority.test/dir";
const HOSTS = ["go.test", "two.test"];

forEachDialect(({ openDb }) => {
  let database: Database;
  beforeEach(async () => {
    database = await openDb();
    await database.write.deleteFrom("certificates").execute();
  });

  const start = (hosts: string[], respond: () => Response | Promise<Response>) => {
    const requests: number[] = [];
    const fake = Object.assign(
      async () => {
        requests.push(job.time.now);
        return respond();
      },
      { preconnect: () => {} },
    );
    const starting = startJob({ database, directory: DIRECTORY, hosts, fetch: fake as typeof fetch });
    let job: Awaited<typeof starting>;
    return starting.then((started) => {
      job = started;
      return { ...started, requests };
    });
  };

  test("an authority that is away for four days is asked at growing distances, for all hosts together", async () => {
    const job = await start([...HOSTS], () => Promise.reject(new Error("connection refused")));
    const begun = job.time.now;
    await job.pass(4 * DAY, 10 * MINUTE);
    const pauses = job.requests.slice(1).map((at, index) => at - job.requests[index]!);
    expect(job.requests.filter((at) => at - begun <= HOUR).length).toBeLessThanOrEqual(5);
    expect(job.requests.length).toBeLessThan(40);
    expect(Math.max(...pauses)).toBeLessThanOrEqual(7 * HOUR);
    expect(job.troubles()).toEqual(HOSTS.map((host) => [host, "error"]));
    expect(job.known.states()[0]!.trouble!.message).toMatch(
      /^go\.test has no certificate\. authority\.test does not respond: connection refused\. The next try is at \d{4}-/,
    );
    expect(job.reports.map(({ hosts }) => hosts)).toEqual([HOSTS]);
  });

  test("a host that somebody lets try again is tried with the next run, and the state says so", async () => {
    const job = await start(["go.test"], () => Promise.reject(new Error("connection refused")));
    await job.run();
    const { states } = job.known;
    await createAcme({ ...job, hosts: () => job.hosts, states }).retry("GO.test");
    expect(states()[0]!.trouble!.message).toEndWith(" The next try is within a minute.");
    await job.run();
    expect(job.requests).toHaveLength(2);
  });

  test("an authority that gives a time is asked again then", async () => {
    const problem = { type: "urn:ietf:params:acme:error:rateLimited", detail: "too many\nrequests" };
    const respond = () => Response.json(problem, { status: 429, headers: { "Retry-After": "172800" } });
    const job = await start(["go.test"], respond);
    const begun = job.time.now;
    await job.pass(2 * DAY + HOUR, 30 * MINUTE);
    expect(job.requests.map((at) => Math.floor((at - begun) / DAY))).toEqual([0, 2]);
    expect(job.known.of("go.test")!.failure).toBe("The authority responds: too many requests");
  });

  test("what is no authority, or sends without end, fails like one that is away", async () => {
    const endless = () =>
      new Response(new ReadableStream({ pull: (stream) => stream.enqueue(new Uint8Array(65_536)) }));
    for (const respond of [() => new Response("<html>"), endless]) {
      const job = await start(["odd.test"], respond);
      await job.run();
      expect(job.troubles()).toEqual([["odd.test", "error"]]);
      await database.write.deleteFrom("certificates").execute();
    }
  });

  test("rows of hosts that are not ours any more go, and nothing is asked for them", async () => {
    const job = await start(["gone.test"], () => Promise.reject(new Error("no")));
    await job.run();
    job.hosts.length = 0;
    await job.pass(HOUR, 10 * MINUTE);
    expect([job.requests.length, job.known.all()]).toEqual([1, []]);
  });
});
