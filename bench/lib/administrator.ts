/** An administrator who works without pauses, to measure the effect on redirects. */
import { join } from "node:path";
import { codeAt, type DataFolder } from "./data-folder.ts";

type Work = () => Promise<void>;

export type Administrator = {
  work: Record<"requests" | "lists" | "tagged" | "searches" | "exports" | "imports", Work>;
  /** Repeats the work until the other work is done. */
  during<T>(work: Work, other: () => Promise<T>): Promise<T>;
};

const PASSWORD = "a password for the benchmark";
const IMPORTED_ROWS = 50_000;

/** Signs in with a password set directly in the database, which the server reads within a second. */
export async function startAdministrator(port: number, data: DataFolder): Promise<Administrator> {
  const base = `http://127.0.0.1:${port}/admin/v1`;
  const waymark = join(import.meta.dir, "..", "..", "bin", "waymark");
  const reset = Bun.spawn([waymark, "reset-password", "--stdin"], {
    env: { ...process.env, WAYMARK__DATA__DIR: data.path },
    stdin: Buffer.from(PASSWORD),
  });
  if ((await reset.exited) !== 0) throw new Error("the password could not be set");
  await Bun.sleep(1_500);
  const login = await fetch(`${base}/auth/login`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ password: PASSWORD }),
  });
  const token = /svc_access=([^;]+)/.exec(login.headers.getSetCookie().join("\n"))?.[1];
  if (token === undefined) throw new Error(`signing in answered ${login.status}`);
  const headers = { Authorization: `Bearer ${token}` };

  async function get(path: string): Promise<void> {
    const response = await fetch(base + path, { headers });
    if (response.status !== 200) throw new Error(`${path} answered ${response.status}`);
    for await (const _chunk of response.body!) {
      // Reads the answer to its end.
    }
  }

  async function create(): Promise<void> {
    const body = JSON.stringify({ target: `https://example.com/created/${created++}` });
    const response = await fetch(`${base}/links`, { method: "POST", headers, body });
    if (response.status !== 201) throw new Error(`creating a link answered ${response.status}`);
    await response.arrayBuffer();
  }

  let page = 0;
  let imported = 0;
  let created = 0;
  return {
    work: {
      /** Programs that create links and read them, 32 at once. */
      async requests() {
        const one = (at: number) =>
          at % 2 === 0 ? create() : get(`/links/${codeAt((page++ * 997) % 1_000_000)}`);
        await Promise.all(Array.from({ length: 32 }, (_, at) => one(at)));
      },
      lists: () => get(`/links?page_size=100&page=${1 + ((page++ * 997) % 10_000)}`),
      tagged: () =>
        get(
          `/links?tag=all&sort=${["created_at", "code", "click_count", "expires_at"][page % 4]}&page=${1 + ((page++ * 997) % 50_000)}`,
        ),
      searches: () => get(`/links?search=${["path/4711", "zzz", "example", "c00f"][page++ % 4]}`),
      exports: () => get("/links/export"),
      async imports() {
        const rows = Array.from(
          { length: IMPORTED_ROWS },
          () => `i${imported++},https://example.com/imported/${imported}`,
        );
        const form = new FormData();
        form.set("file", new File([`code,target\n${rows.join("\n")}\n`], "links.csv"));
        const response = await fetch(`${base}/links/import`, { method: "POST", headers, body: form });
        if (response.status !== 200) throw new Error(`the import answered ${response.status}`);
        await response.arrayBuffer();
      },
    },
    async during(work, other) {
      let isOver = false;
      const working = (async () => {
        while (!isOver) await work();
      })();
      const result = await other();
      isOver = true;
      await working;
      return result;
    },
  };
}
