import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";

const ROOT = join(import.meta.dir, "../..");
let dev: Bun.Subprocess | undefined;
afterAll(async () => {
  dev?.kill();
  await dev?.exited;
});

test("npm run dev gives the panel with its texts, its deep links, and the API of the server behind it", async () => {
  const server = Bun.serve({ port: 0, fetch: ({ url }) => new Response(`API ${new URL(url).pathname}`) });
  const probe = Bun.serve({ port: 0, fetch: () => new Response() });
  const { port } = probe;
  await probe.stop(true);
  const command = ["npm", "run", "dev", "--", "--port", `${port}`, "--strictPort", "--host", "127.0.0.1"];
  const env = { ...process.env, WAYMARK_URL: server.url.origin, NO_COLOR: "1" };
  dev = Bun.spawn(command, { cwd: ROOT, env, stdout: "pipe", stderr: "inherit", stdin: "ignore" });
  let said = "";
  for await (const piece of dev.stdout as ReadableStream<Uint8Array>) {
    said += Buffer.from(piece).toString();
    if (said.includes(`:${port}/`)) break;
  }
  const ask = async (path: string, accept = "*/*") => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { Accept: accept } });
    return [answer.status, await answer.text()] as const;
  };
  for (const page of ["/", "/links", "/files", "/files/trash", "/shares?q=a"]) {
    const [status, html] = await ask(page, "text/html,*/*");
    expect([page, status, html.includes("/src/app/main.tsx")]).toEqual([page, 200, true]);
  }
  const [status, script] = await ask("/src/ui/failure.tsx");
  expect([status, script.includes("@lingui/core/macro")]).toEqual([200, false]);
  for (const path of ["/admin/v1/links", "/files/1/download", "/shares"])
    expect(await ask(path)).toEqual([200, `API ${path}`]);
  await server.stop(true);
});
