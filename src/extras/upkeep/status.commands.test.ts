import { expect, test } from "bun:test";
import { Command } from "commander";
import { addStatusCommand } from "./status.commands.ts";

test("a probe prints JSON, if that is asked for", async () => {
  const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response() });
  const at = { host: "127.0.0.1", port: server.port, unixSocket: null, tlsCert: null, acme: false };
  const printed: unknown[] = [];
  const program = new Command();
  addStatusCommand(program, {
    env: () => ({ server: at }),
    output: { json: (value: unknown) => printed.push(value) },
  } as never);
  await program.parseAsync(["status", "--probe", "--json"], { from: "user" });
  expect(printed).toEqual([{ answers: true }]);
  await server.stop(true);
});
