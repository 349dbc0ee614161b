import { afterAll, describe, expect, test } from "bun:test";
import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSecretBox, SealedWithAnotherKey } from "./secret-box.ts";
import { loadSecretKey, parseSecretKey } from "./secret-key.ts";

const folder = mkdtempSync(join(tmpdir(), "waymark-secret-"));
afterAll(() => rmSync(folder, { recursive: true }));

const boxOf = (fill: number) => createSecretBox(() => new Uint8Array(32).fill(fill));

describe("a sealed secret", () => {
  test.each(["", "AKIA/+=", "grüße 🔑", "x".repeat(10_000)])("opens again (%#)", async (secret) => {
    const box = boxOf(1);
    expect(box.open(await box.seal(secret, "p"), "p")).toBe(secret);
  });

  test("differs each time and does not contain its text", async () => {
    const box = boxOf(1);
    const sealed = [await box.seal("visible", "p"), await box.seal("visible", "p")];
    expect(sealed[0]).not.toBe(sealed[1]);
    expect(Buffer.from(sealed[0]!.split(".")[2]!, "base64url").toString("latin1")).not.toContain("visible");
  });

  test("does not open for another purpose, with a changed bit, cut, or as something else", async () => {
    const box = boxOf(1);
    const sealed = await box.seal("secret", "policies.secret_key");
    expect(() => box.open(sealed, "policies.access_key")).toThrow();
    const [version, id, text] = sealed.split(".") as [string, string, string];
    const bytes = Buffer.from(text, "base64url");
    for (let at = 0; at < bytes.length; at++) {
      const changed = Buffer.from(bytes);
      changed[at]! ^= 1;
      expect(() =>
        box.open(`${version}.${id}.${changed.toString("base64url")}`, "policies.secret_key"),
      ).toThrow();
    }
    for (const other of [
      "",
      "secret",
      `${version}.${id}.`,
      `${sealed.slice(0, -8)}`,
      `${sealed}.x`,
      `v2.${id}.${text}`,
    ]) {
      expect(() => box.open(other, "policies.secret_key")).toThrow();
    }
  });

  test("reports another key", async () => {
    const sealed = await boxOf(1).seal("secret", "p");
    expect(() => boxOf(2).open(sealed, "p")).toThrow(SealedWithAnotherKey);
  });

  test("needs a key of the right length", async () => {
    await expect(createSecretBox(() => new Uint8Array(16)).seal("x", "p")).rejects.toThrow("32 bytes");
  });
});

describe("the key's file", () => {
  test("is made once, readable by its owner only, and read back", () => {
    const path = join(folder, "secret.key");
    const key = loadSecretKey(path);
    expect(key.byteLength).toBe(32);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(loadSecretKey(path)).toEqual(key);
    expect(readdirSync(folder)).toEqual(["secret.key"]);
  });

  test("is the same for processes that make it at once", async () => {
    const path = join(folder, "raced.key");
    const program = `const { loadSecretKey } = await import(${JSON.stringify(join(import.meta.dir, "secret-key.ts"))});
      console.log(Buffer.from(loadSecretKey(${JSON.stringify(path)})).toString("hex"));`;
    const runs = Array.from({ length: 4 }, () => Bun.spawn([process.execPath, "-e", program]));
    const keys = await Promise.all(runs.map((run) => new Response(run.stdout).text()));
    expect(new Set(keys).size).toBe(1);
    expect(parseSecretKey(keys[0]!.trim())).not.toBeNull();
  });

  test("is never replaced if it holds something else", () => {
    const path = join(folder, "wrong.key");
    writeFileSync(path, "not a key");
    chmodSync(path, 0o600);
    expect(() => loadSecretKey(path)).toThrow("64 hexadecimal digits");
    expect(parseSecretKey("zz".repeat(32))).toBeNull();
  });
});
