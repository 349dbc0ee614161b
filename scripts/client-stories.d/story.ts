/** What a program does with a server, told with the packed client. Throws where the server or the client is wrong. */
import { answerOf, createWaymark, dataOf, items, type Link, upload, WaymarkError } from "@waymark/client";

const MANY = 120;

function expect(what: string, found: unknown, wanted: unknown): void {
  const [a, b] = [JSON.stringify(found), JSON.stringify(wanted)];
  if (a !== b) throw new Error(`${what}: ${a} instead of ${b}`);
}

const refusalOf = async (call: Promise<unknown>): Promise<WaymarkError> => {
  try {
    await call;
  } catch (error) {
    if (error instanceof WaymarkError) return error;
    throw error;
  }
  throw new Error("A refusal was expected.");
};

/** @param name of this run; its links and folder begin with it */
export async function story({
  url,
  token,
  name,
}: {
  url: string;
  token: string;
  name: string;
}): Promise<string> {
  const waymark = createWaymark({ url, token });
  expect("account", (await dataOf(waymark.GET("/admin/v1/auth/me"))).username, "admin");

  // Links: one, the same request again, many, pages.
  const body = { code: `${name}/first`, target: "https://example.com/", title: "First" };
  const header = { "Idempotency-Key": crypto.randomUUID() };
  const link: Link = await dataOf(waymark.POST("/admin/v1/links", { body, params: { header } }));
  const again = await waymark.POST("/admin/v1/links", { body, params: { header } });
  expect(
    "replayed",
    [again.response.headers.get("Idempotent-Replayed"), again.data?.data.id],
    ["true", link.id],
  );
  const links = Array.from({ length: MANY }, (_, at) => ({
    code: `${name}/${at}`,
    target: `https://example.com/${at}`,
    tags: [name],
  }));
  expect("failed", (await dataOf(waymark.POST("/admin/v1/links/batch", { body: { links } }))).failed, []);
  const found = new Set<string>();
  for await (const one of items(waymark, "/admin/v1/links", { query: { tag: [name] } })) found.add(one.code);
  expect("links by cursor", found.size, MANY);
  found.clear();
  const query = { tag: [name], sort: "code" as const, page_size: 50 };
  for await (const one of items(waymark, "/admin/v1/links", { query })) found.add(one.code);
  expect("links by page", found.size, MANY);

  // A change on condition, and refusals with their types.
  const at = { path: { code: link.code } };
  const read = await waymark.GET("/admin/v1/links/{code}", { params: at });
  const tag = read.response.headers.get("ETag")!;
  const change = (title: string) =>
    dataOf(
      waymark.PATCH("/admin/v1/links/{code}", {
        params: { ...at, header: { "If-Match": tag } },
        body: { title },
      }),
    );
  expect("title", (await change("Second")).title, "Second");
  expect("condition", (await refusalOf(change("Third"))).error, "PreconditionFailed");
  const absent = { params: { path: { code: `${name}/absent` } } };
  const lost = await refusalOf(dataOf(waymark.GET("/admin/v1/links/{code}", absent)));
  expect("lost", [lost.status, lost.error, typeof lost.requestId], [404, "LinkNotFound", "string"]);
  const misspelt = { ...body, code: `${name}/other`, tittle: "x" };
  const strict = await refusalOf(dataOf(waymark.POST("/admin/v1/links", { body: misspelt })));
  expect("strict", strict.details, [{ field: "tittle", message: "tittle is unknown." }]);

  // Numbers.
  const range = { start_date: "2026-01-01", end_date: "2026-12-31" };
  const trend = await dataOf(
    waymark.GET("/admin/v1/analytics/trends", { params: { query: { ...range, group_by: "month" } } }),
  );
  expect("months", [trend.labels.length, trend.values.length], [12, 12]);
  expect(
    "clicks",
    (await dataOf(waymark.GET("/admin/v1/links/{code}/analytics", { params: at }))).total_clicks,
    0,
  );

  // A file in a folder, its bytes, and a share.
  const folder = await dataOf(waymark.POST("/folders", { body: { name } }));
  const file = await upload(waymark, new File(["hello"], "hello.txt", { type: "text/plain" }), folder.id);
  expect("file", [file.name, file.size, file.folder_id], ["hello.txt", 5, folder.id]);
  const path = { id: file.id };
  const bytes = await answerOf(
    waymark.GET("/files/{id}/download", { params: { path }, parseAs: "arrayBuffer" }),
  );
  expect("bytes", new TextDecoder().decode(bytes as unknown as ArrayBuffer), "hello");
  const share = await dataOf(
    waymark.POST("/files/{id}/share", { params: { path }, body: { expires_at: "1d" } }),
  );
  const shared = [];
  for await (const one of items(waymark, "/files/{id}/share", { path })) shared.push(one.code);
  expect("share", shared, [share.code]);
  await dataOf(waymark.DELETE("/shares/{code}", { params: { path: { code: share.code } } }));

  const nowhere = createWaymark({ url: "http://127.0.0.1:9", retries: 1 });
  const unreached = await refusalOf(dataOf(nowhere.GET("/admin/v1/auth/me")));
  expect("unreached", unreached.status, 0);
  return "told";
}
