import { expect, test } from "bun:test";
import { Command } from "commander";
import { completionsOf } from "../../src/platform/cli/completion.ts";
import { addWebhookCommands } from "../../src/extras/webhooks/webhooks.commands.ts";

test("options of an extra complete with what it knows", () => {
  const program = new Command();
  addWebhookCommands(program, {} as never);
  const events = completionsOf(program, ["webhooks", "add", "https://a.example", "--event", "link.c"]);
  expect(events).toContainEqual(expect.stringMatching(/^link\.created\t\S/));
});
