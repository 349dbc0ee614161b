/** Mails of the whole program: the way of a test mail, the log, kills, and many at once. */
import { Database } from "bun:sqlite";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { driveClient } from "../support/drive.ts";
import { linkIn, type MailServer, startMailServer } from "../support/mail-server.ts";
import { type Client, signIn, startSignedIn } from "../support/session.ts";
import { stranger } from "../support/stranger.ts";
import { until } from "../support/until.ts";
import type { Installation, RunningWaymark } from "../support/waymark.ts";

type Row = {
  id: number;
  kind: string;
  state: string;
  error: string | null;
  recipient: string;
  enabled?: boolean;
};

let smtp: MailServer;
let installation: Installation;
let server: RunningWaymark;
let client: Client;

beforeAll(async () => {
  smtp = await startMailServer();
  ({ installation, server, client } = await startSignedIn(smtp.settings));
});
afterAll(async () => {
  await installation?.remove();
  smtp?.stop();
});

const ask = async (method: string, path: string, body?: object) => {
  const answer = await client.fetch(path, {
    method,
    ...(body && { body: JSON.stringify(body), headers: { "Content-Type": "application/json" } }),
  });
  return { status: answer.status, body: (await answer.json()) as { data: Row; message: string } };
};
const list = async (query = "") => {
  const answer = await client.fetch(`/mail${query}`);
  return ((await answer.json()) as { data: Row[] }).data;
};
async function restart(settings: Record<string, string> = {}): Promise<void> {
  server = await installation.serve(settings);
  client = await signIn(server.url);
}

test("without a public address links in mails begin with the one of the settings, and doctor says so", async () => {
  const first = { username: "first", email: "first@example.com", invite: true };
  expect((await ask("POST", "/users", first)).status).toBe(201);
  await until(() => smtp.mails.length === 1);
  expect(linkIn(smtp.mails.pop()).startsWith("http://127.0.0.1:")).toBe(true);
  expect((await installation.cli(["doctor"])).stdout).toContain("set features.public_url");
});

test("a test mail arrives, by the API and by the CLI, and the log has it", async () => {
  await installation.run(["config", "set", "features.public_url", "https://go.example.com"]);
  expect((await ask("GET", "/mail/server")).body.data).toMatchObject({ enabled: true, message: "" });
  const { status, body } = await ask("POST", "/mail/test", { to: "Anna@Example.com" });
  expect([status, body.data]).toEqual([201, expect.objectContaining({ kind: "test", state: "waiting" })]);
  await until(() => smtp.mails.length === 1);
  expect(smtp.mails[0]).toMatchObject({
    subject: "Test mail from Waymark",
    from: { text: '"Waymark" <waymark@example.com>' },
  });
  await until(async () => (await list())[0]?.state === "sent");
  await installation.run(["mail", "test", "ben@example.com"]);
  await until(async () => (await list("?recipient=BEN@example.com"))[0]?.state === "sent");
  const listed = await installation.run(["mail", "list", "--state", "sent", "--json"]);
  expect(JSON.parse(listed).map(({ recipient }: Row) => recipient)).toEqual([
    "ben@example.com",
    "anna@example.com",
    "first@example.com",
  ]);
  expect((await ask("POST", `/mail/${body.data.id}/retry`)).status).toBe(409);
  expect((await installation.cli(["mail", "retry", "999"])).exitCode).toBe(3);
  expect(await installation.run(["doctor"])).toContain("mail: 127.0.0.1 takes mails");
});

test("an invited account chooses its password and hears of files in its drop box", async () => {
  const invited = { username: "anna", email: "anna@example.org", invite: true, language: "de" };
  expect((await ask("POST", "/users", invited)).status).toBe(201);
  const mailTo = (kind: string) =>
    smtp.mails.find(
      ({ text = "", to }) => [to].flat()[0]?.text.includes("anna@example.org") && text.includes(kind),
    );
  await until(() => mailTo("/panel/new-password#") !== undefined);
  const link = linkIn(mailTo("/panel/new-password#"));
  expect(link.startsWith("https://go.example.com/panel/new-password#")).toBe(true);
  const set = { token: new URL(link).hash.slice(1), password: "the password of anna" };
  expect((await ask("PUT", "/auth/password-reset", set)).status).toBe(200);
  const anna = await signIn(server.url, set.password, "anna");
  await anna.fetch("/account/mail", { method: "PATCH", body: JSON.stringify({ mails: { drop: "minute" } }) });
  const drive = driveClient(server.url, anna.token);
  const folder = await drive.folder("in");
  const box = { title: "Bewerbungen", max_bytes: 1_000, max_files: 4 };
  const { data } = (await drive.call("POST", `/folders/${folder}/drop`, box)).body;
  await stranger().put(`${server.url}/${data.code}`, { "a.txt": "x", "b.txt": "y" });
  await until(async () => (await list("?recipient=anna@example.org"))[0]?.kind === "drop");
  const [waiting] = await list("?recipient=anna@example.org");
  await ask("POST", `/mail/${waiting!.id}/retry`);
  await until(() => mailTo("b.txt") !== undefined);
  expect(mailTo("b.txt")).toMatchObject({ subject: "2 Dateien für Bewerbungen sind da" });
});

test("owners hear of downloads and of the last one, administrators of failed backups, unless they turn it off", async () => {
  const invited = { username: "root2", email: "root2@example.org", invite: true, role: "admin" };
  expect((await ask("POST", "/users", invited)).status).toBe(201);
  const to = "root2@example.org";
  const mailTo = () => smtp.mails.find(({ to: all }) => [all].flat()[0]?.text.includes(to));
  await until(() => mailTo() !== undefined);
  const set = { token: new URL(linkIn(mailTo())).hash.slice(1), password: "the password of root2" };
  expect((await ask("PUT", "/auth/password-reset", set)).status).toBe(200);
  const root2 = await signIn(server.url, set.password, "root2");
  const choose = async (mails: object) =>
    expect((await root2.call("PATCH", "/account/mail", { mails })).status).toBe(200);
  const kinds = async () => (await list(`?recipient=${to}`)).map(({ kind }) => kind);
  await choose({ download: "day" });
  const drive = driveClient(server.url, root2.token);
  const file = await drive.upload("a.txt", "a");
  const share = async (code: string) => {
    await drive.call("POST", `/files/${file.body.data.id}/share`, { code, max_downloads: 1 });
    const headers = {
      "User-Agent": "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
    };
    expect(await (await fetch(`${server.url}/${code}?download=1`, { headers })).text()).toBe("a");
  };
  await share("one");
  await until(async () => (await kinds()).length === 3);
  expect(await kinds()).toEqual(["share_ending", "download", "invitation"]);
  expect((await installation.cli(["backup", "/proc/nowhere"])).exitCode).not.toBe(0);
  expect((await kinds())[0]).toBe("backup");
  await choose({ download: "off", share_ending: "off", backup: "off" });
  await share("two");
  expect((await installation.cli(["backup", "/proc/nowhere"])).exitCode).not.toBe(0);
  expect(await kinds()).toHaveLength(4);
});

test("a mail that was sent when the process was killed goes at most twice, and the log says so", async () => {
  const before = smtp.mails.length;
  await server.stop();
  server = await installation.serve({ WAYMARK_FAULT: "mail-sent" });
  client = await signIn(server.url);
  for (const n of [1, 2, 3]) await ask("POST", "/mail/test", { to: `kill${n}@example.com` }).catch(() => {});
  await server.process.exited;
  expect(server.process.signalCode).toBe("SIGKILL");
  for (const n of [1, 2, 3]) await installation.run(["mail", "test", `after${n}@example.com`]);
  await restart();
  // A mail about downloads waits for its day.
  const isUnsent = ({ kind, state }: Row) => kind !== "download" && ["waiting", "sending"].includes(state);
  await until(async () => !(await list()).some(isUnsent));
  const ids = smtp.mails.slice(before).map(({ messageId }) => messageId);
  expect(ids.length - new Set(ids).size).toBe(1);
  expect(server.log()).toContain("may arrive twice");
});

test("each reader gets a report once, over restarts and kills while its mails are queued", async () => {
  const before = smtp.mails.length;
  const readers = ["one@example.net", "two@example.net"];
  const made: number[] = [];
  for (const at of ["00:01", "00:02", "00:03"]) {
    const body = { title: `Report ${at}`, every: "day", at, days: 7, to: readers };
    made.push((await ask("POST", "/analytics/mails", body)).body.data.id);
  }
  /** Nobody has to confirm, and some of the mails are due. */
  const prepare = (ids: readonly number[]) => {
    const database = new Database(`${installation.dataDir}/waymark.db`);
    database.run("update report_readers set state = 'active'");
    // A killed process keeps its job for a while.
    database.run("delete from leases");
    for (const id of ids) database.run("update report_mails set next_at = 1 where id = ?", [id]);
    database.close();
  };
  for (const [nth, fault] of ["report-queuing", "report-queued"].entries()) {
    await server.stop();
    prepare([made[nth]!]);
    server = await installation.serve({ WAYMARK_FAULT: fault });
    await server.process.exited;
    expect(server.process.signalCode).toBe("SIGKILL");
    await restart();
  }
  await server.stop();
  prepare([made[2]!]);
  await restart();
  const reports = () =>
    smtp.mails.slice(before).filter(({ subject, to }) => {
      const [reader] = [to].flat();
      return subject?.startsWith("Report ") && readers.some((email) => reader?.text.includes(email));
    });
  await until(() => reports().length >= made.length * readers.length);
  for (let times = 0; times < 2; times++) {
    await server.stop();
    await restart();
  }
  const isUnsent = ({ kind, state }: Row) => kind === "report" && state !== "sent";
  await until(async () => !(await list()).some(isUnsent));
  const names = reports().map(({ subject, to }) => `${subject} ${[to].flat()[0]!.text}`);
  expect([new Set(names).size, names.length]).toEqual([6, 6]);
});

test("thousands of queued mails go one after the other while requests are answered", async () => {
  const before = smtp.count();
  await server.stop();
  const database = new Database(`${installation.dataDir}/waymark.db`);
  database.run(
    `with recursive n (i) as (select 1 union all select i + 1 from n where i < 3000)
     insert into mails (kind, recipient, language, content, state, due_at, attempts, is_server_trouble, was_interrupted, created_at)
     select 'test', 'many' || i || '@example.com', 'en', '{}', 'waiting', 1, 0, 0, 0, 1e13 from n`,
  );
  database.close();
  await restart();
  await until(() => smtp.count() >= before + 300);
  expect((await ask("GET", "/mail/server")).body.data).toMatchObject({ enabled: true, message: "" });
  const urgent = await ask("POST", "/mail/test", { to: "urgent@example.com" });
  await until(async () => (await ask("GET", `/mail/${urgent.body.data.id}`)).body.data.state === "sent");
  expect(smtp.count() - before).toBeLessThan(2_900);
});

test("a server that is away is told by health and log; the mail goes when it is back", async () => {
  await server.stop();
  const database = new Database(`${installation.dataDir}/waymark.db`);
  database.run("delete from mails");
  database.close();
  server = await installation.serve({ WAYMARK__MAIL__PORT: "1" });
  client = await signIn(server.url);
  const { body } = await ask("POST", "/mail/test", { to: "late@example.com" });
  await until(async () => (await ask("GET", `/mail/${body.data.id}`)).body.data.error !== null);
  const { data } = (await ask("GET", "/mail/server")).body;
  expect(data).toMatchObject({ message: expect.stringContaining("127.0.0.1:1") });
  await server.stop();
  await restart();
  await ask("POST", `/mail/${body.data.id}/retry`);
  await until(async () => (await ask("GET", `/mail/${body.data.id}`)).body.data.state === "sent");
});
