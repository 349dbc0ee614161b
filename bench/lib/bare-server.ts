/** The baseline for redirects: Bun.serve and a Map only, with the same answers as Waymark. */
import { codeAt, targetAt } from "./data-folder.ts";

const [port, count] = process.argv.slice(2).map(Number) as [number, number];
const targets = new Map<string, string>();
for (let index = 0; index < count; index++) targets.set(codeAt(index), targetAt(index));

Bun.serve({
  port,
  hostname: "127.0.0.1",
  fetch(request) {
    const url = request.url;
    const target = targets.get(url.slice(url.indexOf("/", 8) + 1));
    if (target === undefined) {
      return new Response("Not Found", {
        status: 404,
        headers: { "Content-Type": "text/html; charset=utf-8", "Cache-Control": "public, max-age=60" },
      });
    }
    return new Response(null, {
      status: 307,
      headers: { Location: target, "Cache-Control": "no-cache, no-store, must-revalidate" },
    });
  },
});
