/** Import and export of links, deleted links and tags in Chromium, against the real program. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { csvCells, csvPlaces } from "../../panel/src/links/csv/csv-bytes.ts";
import { csvReport, keptReport } from "../../panel/src/links/csv/csv-report.ts";
import { hasTargets } from "../../panel/src/base/targets.ts";
import { linksIn } from "../../panel/src/links/many/pasted-links.ts";
import { csvPieces, guessedColumns, readCsvSource } from "../../panel/src/links/csv/csv-source.ts";
import { readCsv } from "../../src/lib/csv.ts";
import { expectAccessibleInAllLooks, focused, once, startPanel, story, undo } from "../support/panel.ts";
import { soon } from "../support/until.ts";

let panel: Awaited<ReturnType<typeof startPanel>>;
beforeAll(async () => {
  panel = await startPanel();
});
afterAll(() => panel.stop());

const HOSTILE = "<img src=x onerror=alert(1)>";

const FILES = [
  "code,target\na,b\nc,d",
  '\ufeffcode,target\r\n"a\r\nb",c\r\n\r\n  \r\nd,e\r\n',
  'a,b\r"x""y",z\rq',
  '"open,1\n2,3\n',
  '"a"b,1\n"c\nd",2\n3,"4\n5"',
  `"${"x".repeat(70_000)}",1\n2,3\n`,
  "a;b\n1;2\n;;\n",
];

test.each(FILES)("records begin where the server finds them: %#", (text) => {
  const bytes = new TextEncoder().encode(text);
  const read = [...readCsv(Buffer.from(bytes), 64 * 1024)].filter((record) => record !== null);
  const places = [...csvPlaces(bytes, ",")];
  expect(places.map(({ row, end }) => [row, end])).toEqual(
    read.map(({ row, end }) => [row, Math.min(end, bytes.length)]),
  );
  for (const [at, { start, end }] of places.entries()) {
    if (read[at]!.problem !== null) continue;
    expect(csvCells(new TextDecoder().decode(bytes.subarray(start, end)), ",")).toEqual([
      ...read[at]!.fields,
    ]);
  }
});

test("a long file goes in pieces of whole records, each with the header and its line", async () => {
  const rows = Array.from({ length: 400 }, (_, at) => `"c${at}\n",https://x.y/${at},left\n`).join("");
  const source = readCsvSource("x.csv", new TextEncoder().encode(`Slug,Long URL,extra\n${rows}`));
  const columns = guessedColumns(source);
  expect(columns).toEqual(["code", "target", ""]);
  const pieces = csvPieces(source, columns, 2_000);
  expect(pieces.length).toBeGreaterThan(3);
  const texts = await Promise.all(pieces.map(({ blob }) => blob.text()));
  for (const [at, text] of texts.entries()) {
    expect(text).toStartWith("code,target,left-out-2\n");
    expect(text.length).toBeLessThanOrEqual(2_000);
    const first = Number(/"c(\d+)/.exec(text)![1]);
    expect(pieces[at]!.row).toBe(2 + 2 * first);
  }
  expect(texts.map((text) => text.slice(text.indexOf("\n") + 1)).join("")).toBe(rows);
});

test("a file without codes gets a random one a link, the same in each attempt", async () => {
  const rows = '"https://x.y/1",One\n\n,\nhttps://x.y/2,"Two\nlines"\n';
  const source = readCsvSource("x.csv", new TextEncoder().encode(`url,title\n${rows}`));
  const [piece, ...more] = csvPieces(source, guessedColumns(source), 2_000);
  expect(more).toEqual([]);
  const text = await piece!.blob.text();
  const codes = [...text.matchAll(/^(\w{8}),(?:"?https)/gm)].map(([, code]) => code!);
  expect(text).toBe(
    `code,target,title\n${codes[0]},"https://x.y/1",One\n\n,\n${codes[1]},https://x.y/2,"Two\nlines"\n`,
  );
  expect(new Set(codes).size).toBe(2);
  const parts = csvPieces(source, guessedColumns(source), 60);
  expect(parts.map(({ row }) => row)).toEqual([2, 5]);
  const again = await Promise.all(parts.map(({ blob }) => blob.text()));
  expect(again.map((one) => one.replace("code,target,title\n", "")).join("")).toBe(
    text.replace("code,target,title\n", ""),
  );
});

test("pasted lines and cells become links with what stands beside their URLs", () => {
  const link = { code: "", title: "", tags: "" };
  const [a, b] = ["https://x.y/a", "https://x.y/b?q=1,2"];
  const found = (text: string) => linksIn(text).links;
  expect(found(`${a}\r\n${b}\n`)).toEqual([
    { ...link, target: a },
    { ...link, target: b },
  ]);
  expect(found(`${a} ${b}`)).toHaveLength(2);
  expect(linksIn(`${a}\n\nsee below\n${b}\nx\ty`).left).toEqual(["see below", "x y"]);
  expect(found(`Spring\t${a}\tone, two\n\t${b}\t\nno URL\t\t`)).toEqual([
    { ...link, target: a, title: "Spring", tags: "one, two" },
    { ...link, target: b },
  ]);
  expect(found(`Slug\tDestination\tName\n sale \t${a}\tSale\nx\tnone\t`)).toEqual([
    { ...link, target: a, code: "sale", title: "Sale" },
  ]);
  for (const single of [a, ` ${a}\n`, `see ${a}`, "two words", `${a} and more`])
    expect([single, hasTargets(single)]).toEqual([single, false]);
  expect(hasTargets(`${a}\n${b}`)).toBe(true);
});

test("a report of failed rows runs nothing in a spreadsheet, and can be imported as it was", async () => {
  const run = "=cmd|' /C calc'!A0";
  const rows = `-1,ftp://x.y,${run},＝1,"@a,b",'=1,-pw,+\n${run},=1,,,,,,\n=broken\n`;
  const header = "slug,url,title,note,tags,description,pw,=own";
  const source = readCsvSource("x.csv", new TextEncoder().encode(`${header}\n${rows}`));
  const columns = ["code", "target", "title", "note", "tags", "", "password", ""];
  const failed = [2, 3, 4].map((row) => ({ row, code: `=${row}`, error: "It failed." }));
  expect(await csvReport(source, columns, failed).text()).toBe(
    `row,error,${header.replace("=own", "'=own")}
2,It failed.,-1,ftp://x.y,'${run},'＝1,"'@a,b",'=1,-pw,'+
3,It failed.,'${run},'=1,,,,,,
4,It failed.,'=broken,,,,,,,
`,
  );
  expect(keptReport(source, columns, failed).text).toBe(
    "row,error,code\n2,It failed.,'=2\n3,It failed.,'=3\n4,It failed.,'=4\n",
  );
});

const codeOf = (path: string) => panel.client.call("GET", `/links/${path}`);

story(
  "a file is previewed, imported over existing links, its failed rows reported, and all comes back by an export",
  async () => {
    await panel.client.call("POST", "/links", { code: "old", target: "https://example.com/before" });
    const { page, close } = await panel.enter("/panel/links");
    await page.getByRole("button", { name: "More for links" }).click();
    await page.getByRole("menuitem", { name: /Import/ }).click();
    const many = Array.from({ length: 3_000 }, (_, at) => `many/${at},https://example.com/${at},,\n`).join(
      "",
    );
    const text = `slug,URL,title,clicks\nold,https://example.com/after,"${HOSTILE}, and more",7\nbad code,https://example.com/,"two\nlines",1\nftp,ftp://example.com/,,\n"broken"x,1\nnew,https://example.com/new,,\n${many}`;
    const choice = page.waitForEvent("filechooser");
    await page.getByRole("button", { name: "Choose a file" }).press("Enter");
    await (await choice).setFiles({ name: "mine.csv", mimeType: "text/csv", buffer: Buffer.from(text) });

    await page.getByRole("button", { name: "Import 3,001 rows" }).waitFor();
    const will = page.getByRole("group", { name: "What will happen" });
    await soon(async () =>
      expect(await will.innerText()).toMatch(/New\s+3,001\s+Overwritten\s+0\s+Skipped\s+1\s+Failed\s+3/i),
    );
    await page.getByRole("radio", { name: "Overwrite them" }).check();
    await page.getByRole("button", { name: "Import 3,002 rows" }).waitFor();
    expect((await codeOf("new")).status).toBe(404);
    await expectAccessibleInAllLooks(page, "preview of an import");

    await page.getByRole("button", { name: "Import 3,002 rows" }).press("Enter");
    await page.getByRole("link", { name: "Show the links" }).waitFor();
    const did = page.getByRole("group", { name: "What happened" });
    await soon(async () =>
      expect(await did.innerText()).toMatch(/Made\s+3,001\s+Overwritten\s+1\s+Skipped\s+0\s+Failed\s+3/i),
    );
    expect((await codeOf("old")).body.data).toMatchObject({
      target: "https://example.com/after",
      title: `${HOSTILE}, and more`,
      click_count: 7,
    });

    const reported = page.waitForEvent("download");
    await page.getByRole("button", { name: "Download them with the reasons" }).click();
    const report = await (await reported).path().then((path) => Bun.file(path).text());
    expect((await reported).suggestedFilename()).toBe("mine-failed.csv");
    const lines = report.split("\n");
    expect(lines[0]).toBe("row,error,slug,URL,title,clicks");
    expect(lines[1]).toMatch(/^3,.*letters.*,bad code,https:\/\/example.com\/,"two$/);
    expect(lines[3]).toMatch(/^5,.*,ftp,ftp:\/\/example.com\/,,$/);
    expect(lines[4]).toMatch(/^6,.*,"""broken""x,1"$/);

    // The access token ends while the page is idle.
    await page.getByRole("link", { name: "Show the links" }).click();
    await page.getByRole("textbox", { name: "Search links" }).fill("example.com/new");
    await page.waitForURL(/q=/);
    await page.getByText("1 link", { exact: true }).waitFor();
    await page.context().clearCookies({ name: "svc_access" });
    const exported = page.waitForEvent("download");
    await page.getByRole("button", { name: "More for links" }).click();
    await page.getByRole("menuitem", { name: "Export what the filter finds (CSV)" }).click();
    expect((await exported).suggestedFilename()).toMatch(/^shortlinks_export_\d{8}_\d{6}\.csv$/);
    const csv = await (await exported).path().then((path) => Bun.file(path).text());
    expect(csv).toStartWith("code,target,created_at,expires_at,password,click_count,domain,title,tags");
    expect(
      csv
        .trimEnd()
        .split("\n")
        .slice(1)
        .map((line) => line.split(",")[0]),
    ).toEqual(["new"]);
    await close();
  },
);

once("a row with a time that can't be read is refused, and says so before anything is written", async () => {
  const { page, complaints, close } = await panel.enter("/panel/links/import");
  const text = `sep=;\r\nShort URL;Long URL;Expires;Clicks\r\nhttps://old.example/party;https://example.com/;31.12.2026;\r\nhttps://old.example/fine;https://example.com/;2027-01-01 13:00;12\r\nshort;https://example.com/\r\n`;
  const choice = page.waitForEvent("filechooser");
  await page.getByRole("button", { name: "Choose a file" }).click();
  const buffer = Buffer.from(`\ufeff${text}`, "utf16le");
  await (await choice).setFiles({ name: "dates.csv", mimeType: "text/csv", buffer });
  const failed = page.getByRole("table", { name: "Failed rows" });
  const expectNamed = async (): Promise<void> => {
    await page.getByRole("heading", { name: "1 row fails" }).waitFor();
    await failed.getByText(`expires_at can't be read: "31.12.2026". Write it like 2026-12-31`).waitFor();
  };
  await expectNamed();
  await expectAccessibleInAllLooks(page, "preview of an import with a row that fails");
  await page.getByRole("button", { name: "Import 2 rows" }).click();
  await page.getByRole("link", { name: "Show the links" }).waitFor();
  await expectNamed();
  expect((await codeOf("fine")).body.data).toMatchObject({
    expires_at: "2027-01-01T13:00:00.000Z",
    click_count: 12,
  });
  expect((await codeOf("short")).body.data.expires_at).toBeNull();
  expect((await codeOf("party")).status).toBe(404);
  const reported = page.waitForEvent("download");
  await page.getByRole("button", { name: "Download them with the reasons" }).click();
  expect((await reported).suggestedFilename()).toBe("dates-failed.csv");
  const report = await (await reported).path().then((path) => Bun.file(path).bytes());
  expect([...report.subarray(0, 3)]).toEqual([0xef, 0xbb, 0xbf]);
  expect(new TextDecoder().decode(report).split("\n").slice(1)).toEqual([
    expect.stringMatching(
      /^3;"?expires_at .*;https:\/\/old.example\/party;https:\/\/example.com\/;31.12.2026;$/,
    ),
    "",
  ]);
  // The tab keeps them.
  await page.reload();
  await expectNamed();
  expect(complaints).toEqual([]);
  await close();
});

once(
  "a deleted link is found and put back under another code; tags are renamed, merged, deleted",
  async () => {
    const tags = ["spring", HOSTILE];
    await panel.client.call("POST", "/links", {
      code: "gone",
      target: "https://example.com/gone",
      title: HOSTILE,
      tags,
    });
    await panel.client.call("DELETE", "/links/gone");
    await panel.client.call("POST", "/links", {
      code: "gone",
      target: "https://example.com/",
      tags: ["summer"],
    });
    const { page, close } = await panel.enter("/panel/links/deleted");
    await page.getByRole("textbox", { name: "Search deleted links" }).fill("nothing");
    await page.getByText("No deleted link matches.").waitFor();
    await page.getByRole("textbox", { name: "Search deleted links" }).fill("ONERROR");
    await page.getByRole("button", { name: "Put back: gone" }).press("Enter");
    const asked = page.getByRole("dialog", { name: "Put back: gone" });
    await asked.getByText("has been taken meanwhile").waitFor();
    await expectAccessibleInAllLooks(page, "deleted links");
    await asked.getByLabel("Another code").fill("back/again");
    await page.keyboard.press("Enter");
    await page.getByText("/back/again is back.").waitFor();
    expect((await codeOf("back/again")).body.data).toMatchObject({
      title: HOSTILE,
      tags: [HOSTILE, "spring"],
    });

    await page.goto(`${panel.origin}/panel/links/tags`);
    await page.getByRole("button", { name: "Rename spring" }).press("Enter");
    const rename = page.getByRole("dialog", { name: "Rename spring" });
    await rename.getByLabel("New name").fill("Summer");
    await rename.getByText("There is such a tag on 1 link").waitFor();
    await expectAccessibleInAllLooks(page, "tags");
    await page.keyboard.press("Enter");
    await page.getByText("spring is merged with summer.").waitFor();
    await page
      .getByRole("row")
      .filter({ hasText: "summer" })
      .getByRole("cell", { name: "2", exact: true })
      .waitFor();
    expect((await codeOf("back/again")).body.data.tags).toEqual([HOSTILE, "summer"]);
    await undo(page, "spring is merged with summer.");
    await page.getByRole("row").filter({ hasText: "spring" }).waitFor();
    expect((await codeOf("back/again")).body.data.tags).toEqual([HOSTILE, "spring"]);
    await page.getByRole("row").filter({ hasText: HOSTILE }).getByRole("button", { name: "Delete" }).click();
    await page.getByRole("row").filter({ hasText: HOSTILE }).waitFor({ state: "detached" });
    await page.getByText(`The tag ${HOSTILE} is deleted.`).waitFor();
    await soon(async () => expect((await codeOf("back/again")).body.data.tags).toEqual(["spring"]));
    await undo(page, `The tag ${HOSTILE} is deleted.`);
    await page.getByRole("row").filter({ hasText: HOSTILE }).waitFor();
    expect((await codeOf("back/again")).body.data.tags).toEqual([HOSTILE, "spring"]);
    await close();
  },
);

once("several pasted URLs become a table, are made at once, copied as a column and undone", async () => {
  await panel.client.call("POST", "/links", { code: "held", target: "https://example.com/held" });
  const { page, context, complaints, close } = await panel.enter("/panel/links");
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const copy = (text: string) => page.evaluate((copied) => navigator.clipboard.writeText(copied), text);
  const table = page.getByRole("table", { name: "New links" });
  const targetOf = async (code: string) => (await codeOf(code)).body.data?.target ?? null;

  await copy("https://example.com/one\tFirst\nhttps://example.com/two\nhttps://example.com/three");
  await page.getByRole("button", { name: "New link" }).click();
  await page.getByRole("textbox", { name: "Target" }).press("Control+V");
  await page.getByLabel("Code, link 1").fill("pasted/1");
  expect(await page.getByLabel("Title, link 1").inputValue()).toBe("First");
  await page.getByLabel("Code, link 2").fill("held");
  await page.getByLabel("Tags, link 3").fill("alone");
  await page.getByRole("combobox", { name: "Tags for all" }).fill("flyers");
  await page.keyboard.press("Tab");
  await expectAccessibleInAllLooks(page, "new links");
  await page.getByRole("button", { name: "Create 3 links" }).press("Enter");

  // What fails stays, with its reason; the others are copied.
  await page.getByRole("alert").filter({ hasText: "1 link could not be created." }).waitFor();
  await focused(page.getByLabel("Code, link 1"));
  expect(await table.getByRole("row").count()).toBe(2);
  await soon(async () =>
    expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(/\/pasted\/1\n\S+\/\w+$/),
  );
  expect((await codeOf("pasted/1")).body.data).toMatchObject({ title: "First", tags: ["flyers"] });
  await page.getByLabel("Code, link 1").fill("pasted/2");
  await page.keyboard.press("Enter");
  await table.waitFor({ state: "detached" });
  expect(await targetOf("pasted/2")).toBe("https://example.com/two");
  await undo(page, "1 link is ready.");
  await soon(async () => expect(await targetOf("pasted/2")).toBe(null));
  expect(await targetOf("pasted/1")).toBe("https://example.com/one");
  await undo(page, "2 links are ready.");
  await soon(async () => expect(await targetOf("pasted/1")).toBe(null));

  // Anywhere on a page too.
  await page.goto(`${panel.origin}/panel/tokens`);
  await page.getByRole("heading", { level: 1 }).waitFor();
  await copy("https://example.com/four https://example.com/five");
  await page.keyboard.press("Control+V");
  await page.getByRole("button", { name: "Create 2 links" }).waitFor();
  expect(complaints).toEqual([
    "Failed to load resource: the server responded with a status of 409 (Conflict)",
  ]);
  await close();
});

once("a file without a code column is imported with random codes", async () => {
  const { page, complaints, close } = await panel.enter("/panel/links/import");
  const text = "url,title\nhttps://example.com/uncoded/1,One\nhttps://example.com/uncoded/2,Two\n";
  const choice = page.waitForEvent("filechooser");
  await page.getByRole("button", { name: "Choose a file" }).press("Enter");
  await (await choice).setFiles({ name: "urls.csv", mimeType: "text/csv", buffer: Buffer.from(text) });
  await page.getByText("each link gets a random one").waitFor();
  await page.getByRole("button", { name: "Import 2 rows" }).click();
  await soon(async () => {
    const { body } = await panel.client.call("GET", "/links?search=example.com/uncoded");
    const codes = (body.data as { code: string }[]).map(({ code }) => code);
    expect(codes).toEqual([expect.stringMatching(/^\w{8}$/), expect.stringMatching(/^\w{8}$/)]);
  });
  expect(complaints).toEqual([]);
  await close();
});
