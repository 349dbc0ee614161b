/** A receiver of webhooks that remembers which event told of which link. */
const HURRY_EVERY = 80;

export function startReceiver() {
  /** Events by the link that they tell of. */
  const heard = new Map<string, Set<string>>();
  const server = Bun.serve({
    hostname: "0.0.0.0",
    port: 0,
    async fetch(request) {
      const { data } = (await request.json()) as { data: { subject: string } };
      const ids = heard.get(data.subject) ?? new Set();
      heard.set(data.subject, ids.add(request.headers.get("webhook-id")!));
      return new Response(null, { status: 204 });
    },
  });
  return {
    port: server.port,
    /** A line for each link that no event told of within that time. Calls `hurry` now and then. */
    async hear(codes: readonly string[], mostMs: number, hurry: () => Promise<void>): Promise<string[]> {
      const end = performance.now() + mostMs;
      const missing = () => codes.filter((code) => !heard.has(code));
      for (let turn = 1; missing().length > 0 && performance.now() < end; turn++) {
        await Bun.sleep(100);
        if (turn % HURRY_EVERY === 0) await hurry();
      }
      return missing().map((code) => `${code}: answered, and not told`);
    },
    /** A line for each link whose creation was told as two events. Repeated attempts have the same id. */
    doubled: (): string[] =>
      [...heard].flatMap(([code, ids]) => (ids.size > 1 ? [`${code}: told as ${[...ids].join(", ")}`] : [])),
    stop: () => server.stop(true),
  };
}
