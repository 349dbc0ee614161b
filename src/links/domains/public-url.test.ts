/** The setting features.public_url and a domain of the same host, at the same instant on two processes. */
import { expect, test } from "bun:test";
import { createChanges } from "../../platform/cluster/changes.ts";
import { createConfig } from "../../platform/config/config.service.ts";
import { forEachDialect } from "../../platform/db/for-each-dialect.test-support.ts";
import { createEvents } from "../../platform/events/events.service.ts";
import { COMMAND } from "../../lib/actor.ts";
import { silentLogger } from "../../lib/logger.ts";
import { NOW, openLinks, refusal } from "../links.test-support.ts";

const KEY = "features.public_url";
const clock = { now: () => NOW };

forEachDialect(({ openDb }) => {
  test("exactly one of them wins", async () => {
    const database = await openDb({ threads: true });
    const openProcess = async () => {
      const changes = createChanges({ database, clock, logger: silentLogger });
      const record = createEvents({ database, clock }).add;
      const config = createConfig({ database, changes, record, clock, logger: silentLogger });
      await config.start();
      const holdPublicUrl = (tx: Parameters<typeof config.hold>[1]) => config.hold(KEY, tx);
      const { links } = await openLinks(database, { publicUrl: () => config.get(KEY), holdPublicUrl });
      config.refuse(KEY, links.domains.refusalOfPublicUrl);
      return { config, links };
    };
    const [first, second] = [await openProcess(), await openProcess()];
    const moved = await first.links.domainService.create({ host: "moved.example" }, COMMAND);
    for (let round = 0; round < 12; round++) {
      const host = `r${round}.example`;
      const adding = () =>
        round % 3 === 0
          ? first.links.domainService.update(moved.id, { host }, COMMAND)
          : first.links.domainService.create({ host }, COMMAND);
      const setting = () => second.config.set(KEY, `https://${host}`, "cli");
      const runs = round % 2 === 0 ? [adding, setting] : [setting, adding];
      const outcomes = await Promise.all(runs.map((run) => refusal(run())));
      expect(outcomes.filter((outcome) => outcome === "no error")).toHaveLength(1);
      const [stored] = await database.read
        .selectFrom("settings")
        .select("value")
        .where("key", "=", KEY)
        .execute();
      const hosts = (await first.links.domainService.list(COMMAND)).map((domain) => domain.host);
      expect(hosts.includes(host)).toBe(stored?.value !== `https://${host}`);
    }
    first.config.close();
    second.config.close();
  });
});
