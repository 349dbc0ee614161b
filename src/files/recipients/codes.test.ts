/** Codes by which recipients prove their address: once, within ten minutes, and not by guessing, on every database. */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { forEachDialect } from "../../platform/db/for-each-dialect.test-support.ts";
import { silentLogger } from "../../lib/logger.ts";
import { refusal } from "../drive.test-support.ts";
import { type SharesHarness, startShares } from "../shares/shares.test-support.ts";
import { createCodes } from "./codes.ts";

const MINUTE = 60_000;
const [ANNA, BEN, CLEO] = ["anna@example.com", "ben@example.com", "cleo@example.com"];
const HOME = "192.0.2.1";

forEachDialect((dialect) => {
  let at: SharesHarness;
  let me: number;
  let fileId: number;
  beforeAll(async () => void (at = await startShares(await dialect.openDb())));
  beforeEach(async () => {
    me = await at.account();
    fileId = (await at.upload(me, null, "plan.pdf")).id;
    at.mailed.length = 0;
    at.mail.isOn = true;
  });
  afterAll(() => at?.close());

  async function share(recipients: string[]): Promise<number> {
    const input = { recipients, verify: true };
    const { id } = await at.shares.create(me, { kind: "file", id: fileId }, input, at.actor(me));
    at.mailed.length = 0;
    return id;
  }

  /** As one process has them. */
  const process = () =>
    createCodes({
      repository: at.repository.recipients,
      mail: at.mail,
      changes: at.content.changes,
      secret: () => "secret",
      clock: { now: () => at.time.now },
      logger: silentLogger,
      checkMs: 0,
    });

  function codes(linkId: number) {
    const processes = [process(), process()];
    let turn = 0;
    const next = () => processes[turn++ % processes.length]!;
    return {
      /** The code that was mailed; null if none was. */
      async ask(email: string, client = HOME): Promise<string | null> {
        const before = at.mailed.length;
        await next().request({ linkId, email, client }, "plan", "en");
        const mail = at.mailed[before];
        return mail === undefined ? null : (mail.content as { code: string }).code;
      },
      check: (email: string, code: string, client = HOME) => next().check({ linkId, email, client }, code),
      async guess(email: string, times: number, client: string, code = "000000"): Promise<string[]> {
        const tries = Array.from({ length: times }, () => next().check({ linkId, email, client }, code));
        const settled = await Promise.allSettled(tries);
        return settled.map((one) =>
          one.status === "rejected" ? (one.reason as Error).name : one.value === null ? "wrong" : "right",
        );
      },
    };
  }
  const counted = (results: readonly string[]) => [
    results.filter((one) => one === "wrong").length,
    results.filter((one) => one === "RateLimitExceeded").length,
  ];
  const strangers = (count: number) => Array.from({ length: count }, (_, nth) => `203.0.113.${nth}`);
  /** Not that of any mail. */
  const wrongFor = (code: string | null) => (code === "000000" ? "000001" : "000000");

  test("a code works once, for its share and address, and not after ten minutes", async () => {
    const linkId = await share([ANNA, BEN]);
    const other = await share([ANNA]);
    const { ask, check } = codes(linkId);
    const code = (await ask(ANNA))!;
    expect(code).toMatch(/^\d{6}$/);
    expect(await check(BEN, code)).toBeNull();
    expect(await codes(other).check(ANNA, code)).toBeNull();
    const proved = await check(ANNA, code);
    expect(await at.repository.recipients.emailOf(proved!, linkId)).toBe(ANNA);
    expect(await at.repository.recipients.emailOf(proved!, other)).toBeNull();
    expect(await check(ANNA, code)).toBeNull();
    const late = (await ask(ANNA))!;
    at.time.now += 10 * MINUTE;
    expect(await check(ANNA, late)).toBeNull();
    expect(await ask(CLEO)).toBeNull();
  });

  test("of two at once one uses a code, and a new one replaces it", async () => {
    const { ask, check } = codes(await share([ANNA]));
    const first = (await ask(ANNA))!;
    const both = await Promise.all([check(ANNA, first), check(ANNA, first)]);
    expect(both.filter((one) => one !== null)).toHaveLength(1);
    const second = (await ask(ANNA))!;
    const third = (await ask(ANNA))!;
    if (second !== third) expect(await check(ANNA, second)).toBeNull();
    expect(await check(ANNA, third)).not.toBeNull();
  });

  test("a stranger's tries, over processes, end with the stranger's own", async () => {
    const { ask, check, guess } = codes(await share([ANNA]));
    const code = (await ask(ANNA))!;
    expect(counted(await guess(ANNA, 30, "203.0.113.1", wrongFor(code)))).toEqual([5, 25]);
    expect(await refusal(check(ANNA, code, "203.0.113.1"))).toBe("RateLimitExceeded");
    expect(await check(ANNA, code)).not.toBeNull();
    at.time.now += 2 * MINUTE;
    expect(counted(await guess(ANNA, 2, "203.0.113.1"))).toEqual([1, 1]);
  });

  test("right codes use no tries up", async () => {
    const { ask, check } = codes(await share([ANNA]));
    for (let nth = 0; nth < 6; nth++) {
      expect(await check(ANNA, (await ask(ANNA))!)).not.toBeNull();
      at.time.now += 12 * MINUTE;
    }
  });

  test("many addresses together end a code after 25 wrong ones, and a new one works", async () => {
    const { ask, check, guess } = codes(await share([ANNA]));
    const code = (await ask(ANNA))!;
    await Promise.all(strangers(5).map((client) => guess(ANNA, 5, client, wrongFor(code))));
    expect(await check(ANNA, code)).toBeNull();
    expect(await check(ANNA, (await ask(ANNA))!)).not.toBeNull();
  });

  test("a share takes 100 wrong codes of its recipients at once, and counts no others", async () => {
    const all = Array.from({ length: 5 }, (_, nth) => `r${nth}@example.com`);
    const { ask, check, guess } = codes(await share(all));
    await Promise.all(strangers(25).map((client) => guess("nobody@example.com", 5, client)));
    for (const email of all.slice(0, 4)) {
      const wrong = wrongFor(await ask(email));
      await Promise.all(strangers(5).map((client) => guess(email, 5, client, wrong)));
    }
    const code = (await ask(all[4]!))!;
    for (const email of [all[4]!, "nobody@example.com"])
      expect(await refusal(check(email, code, "2001:db8::1"))).toBe("RateLimitExceeded");
    at.time.now += MINUTE;
    expect(await check(all[4]!, code)).not.toBeNull();
  });

  test("who is not on the list gets the same responses", async () => {
    const { ask, guess } = codes(await share([ANNA]));
    const code = await ask(ANNA);
    const results = [ANNA, CLEO].map((email) => guess(email, 7, "203.0.113.9", wrongFor(code)));
    expect((await Promise.all(results)).map(counted)).toEqual([
      [5, 2],
      [5, 2],
    ]);
  });

  test("a stranger who asks for codes leaves the recipient some, and the mailbox has few", async () => {
    const { ask, check } = codes(await share([ANNA]));
    for (let nth = 0; nth < 20; nth++) await ask(ANNA, "203.0.113.1");
    expect(at.mailed).toHaveLength(3);
    expect(await check(ANNA, (await ask(ANNA))!)).not.toBeNull();
    for (let nth = 0; nth < 20; nth++) await ask(ANNA, `198.51.100.${nth}`);
    expect(at.mailed).toHaveLength(10);
    // While the flood goes on, the last code that came is one that works.
    at.time.now += 6 * MINUTE;
    const last = (await ask(ANNA, "198.51.100.99"))!;
    expect(await ask(ANNA)).toBeNull();
    at.time.now += 6 * MINUTE - 1;
    expect(await check(ANNA, last)).not.toBeNull();
  });
});
