/** The public conformance suite of MCP, as far as it is about servers that have tools. Without it, it says that it is skipped. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { startSignedIn } from "../support/session.ts";
import type { Installation } from "../support/waymark.ts";

const SUITE = join(
  process.env["MCP_CONFORMANCE_DIR"] ?? "",
  "node_modules/@modelcontextprotocol/conformance/dist/index.js",
);

/** Others want tools, prompts and resources of the suite's own server, or messages by the server. */
const SCENARIOS = ["server-initialize", "ping", "tools-list", "dns-rebinding-protection"];

if (!existsSync(SUITE)) {
  test.skip("MCP conformance tests, MCP_CONFORMANCE_DIR is no folder with the suite", () => {});
} else {
  let installation: Installation;
  let proxy: ReturnType<typeof Bun.serve>;

  beforeAll(async () => {
    const { server, client, ...started } = await startSignedIn();
    installation = started.installation;
    await client.call("PUT", "/config/features.public_url", { value: server.url });
    const { body } = await client.call("POST", "/tokens", { name: "suite", scopes: ["links:read"] });
    // The suite sends no token.
    proxy = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch({ method, headers: given, body: sent }) {
        const headers = new Headers(given);
        headers.set("Authorization", `Bearer ${body.data.token}`);
        return fetch(`${server.url}/admin/v1/mcp`, { method, headers, body: sent });
      },
    });
  });
  afterAll(async () => {
    await proxy?.stop(true);
    await installation?.remove();
  });

  for (const scenario of SCENARIOS) {
    test(`the server passes ${scenario}`, async () => {
      const url = `http://127.0.0.1:${proxy.port}/mcp`;
      const command = [process.execPath, SUITE, "server", "--url", url, "--scenario", scenario];
      const run = Bun.spawn(command, { stdout: "pipe", stderr: "pipe" });
      const [said, code] = [await new Response(run.stdout).text(), await run.exited];
      expect([code, said]).toEqual([0, expect.stringMatching(/Passed: [1-9]\d*\/\d+, 0 failed, 0 warnings/)]);
    });
  }
}
