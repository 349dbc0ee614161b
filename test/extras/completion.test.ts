import { expect, test } from "bun:test";
import { commandValues } from "../../src/server/cli.ts";

test("options of an extra complete with what it knows", async () => {
  const { "--event": events } = await commandValues("webhooks add");
  expect(events).toContainEqual(["link.created", expect.any(String)]);
});
