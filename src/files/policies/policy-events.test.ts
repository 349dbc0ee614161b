/** Who made, changed and deleted storage policies, without their keys. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { forEachDialect } from "../../platform/db/for-each-dialect.test-support.ts";
import { createEvents } from "../../platform/events/events.service.ts";
import { viewOfEvent } from "../../platform/events/event.ts";
import { type ContentHarness, startContent } from "../content.test-support.ts";

forEachDialect((dialect) => {
  let content: ContentHarness;
  beforeAll(async () => void (content = await startContent(await dialect.openDb())));
  afterAll(() => content?.close());

  const recorded = async () => {
    const events = createEvents({ database: content.database, clock: { now: Date.now } });
    return (await events.page({}, null, 100)).events.toReversed().map(viewOfEvent);
  };

  test("each change of a policy is an event, its keys are masked", async () => {
    const actor = { name: "ann", via: "api", accountId: 7, ownOnly: false } as const;
    const [first] = await recorded();
    expect(first).toMatchObject({ actor: "system", action: "policy.create", subject: content.policy.name });
    const keys = { access_key: "the access key", secret_key: "the secret key" };
    const place = { driver_type: "s3", endpoint: "http://127.0.0.1:9", bucket: "bucket" } as const;
    const { policies } = content;
    const { id } = await policies.create({ name: "far", ...place, ...keys }, actor);
    await policies.update(id, { name: "farther", max_file_size: 5 }, actor);
    await policies.update(id, { secret_key: "another secret" }, actor);
    await policies.remove(id, actor);
    const events = (await recorded()).slice(1);
    const by = { actor: "ann", via: "api" };
    expect(events).toMatchObject([
      { ...by, action: "policy.create", subject: "far", after: { bucket: "bucket", has_credentials: true } },
      {
        ...by,
        action: "policy.update",
        subject: "farther",
        before: { name: "far", max_file_size: 0 },
        after: { name: "farther", max_file_size: 5 },
      },
      { ...by, action: "policy.update", after: { secret_key: "[REDACTED]" } },
      { ...by, action: "policy.delete", subject: "farther", before: { name: "farther" } },
    ]);
    expect(events[1]!.after).not.toHaveProperty("secret_key");
    expect(events[2]!.after).not.toHaveProperty("access_key");
    expect(JSON.stringify(events)).not.toMatch(/the access key|the secret key|another secret/);
  });

  test("a refused change is no event", async () => {
    const before = (await recorded()).length;
    await expect(
      content.policies.create({ name: content.policy.name, driver_type: "local" }),
    ).rejects.toThrow();
    await expect(content.policies.remove(content.policy.id)).rejects.toThrow("default policy");
    expect(await recorded()).toHaveLength(before);
  });
});
