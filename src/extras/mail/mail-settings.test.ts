import { expect, test } from "bun:test";
import { tmpdir } from "node:os";
import { sectionOf } from "../../platform/settings/env-settings.ts";
import { createEnvReader } from "../../platform/settings/env.ts";
import { MAIL_SETTINGS } from "./mail-settings.ts";

const { loadEnv } = createEnvReader([MAIL_SETTINGS]);
const load = (processEnv: Record<string, string>) =>
  sectionOf(loadEnv({ cwd: tmpdir(), processEnv }), MAIL_SETTINGS);

test("a server for mails needs the address that they come from", () => {
  const server = { WAYMARK__MAIL__HOST: "mail.example.com" };
  expect(() => load(server)).toThrow("'mail.host' needs 'mail.from'");
  const { host, port, from } = load({ ...server, WAYMARK__MAIL__FROM: "go@example.com" });
  expect([host, port, from]).toEqual(["mail.example.com", 587, "go@example.com"]);
});
