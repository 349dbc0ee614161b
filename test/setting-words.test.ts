/** The panel's words for settings against the server's. Each failure names what the panel does not know. */
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { CONFIG_KEYS, definitionOf } from "../src/platform/config/definitions.ts";

const ROOT = join(import.meta.dir, "../panel/src");
/** English texts of the panel's catalog of settings. */
const texts = new Set(
  [...readFileSync(join(ROOT, "locales/settings/en.po"), "utf8").matchAll(/^msgid (".*")$/gm)].map(
    ([, text]) => JSON.parse(text!) as string,
  ),
);
const words = ["access", "kept", "privacy", "service", "oidc", "mail"]
  .map((name) => readFileSync(join(ROOT, `config/words/${name}.ts`), "utf8"))
  .join("\n");

/** The panel says in words of its own what names a setting or an address of the API. */
const namesApi = (description: string): boolean =>
  /\/v1\b|\bfiles\.share_policy\b/.test(description) || CONFIG_KEYS.some((key) => description.includes(key));

test("the panel has a name for every setting, and the server's description of it to translate", () => {
  const missing = CONFIG_KEYS.filter((key) => {
    const { description } = definitionOf(key);
    return !words.includes(`"${key}": {`) || (!texts.has(description) && !namesApi(description));
  });
  expect(missing).toEqual([]);
});

test("the panel translates what the server allows, and what choices mean", () => {
  // The panel makes any picture one that is allowed, and says so instead.
  const missing = CONFIG_KEYS.filter((key) => key !== "features.logo").filter((key) => {
    const { type, allowed, options } = definitionOf(key);
    const isText = type === "string" || type === "stringarray";
    // In rows, a list is no JSON.
    if (isText && !texts.has(allowed) && !texts.has(allowed.split(", as a JSON array")[0]!)) return true;
    return options?.some(
      ({ description }) => type === "enum" && description !== null && !texts.has(description),
    );
  });
  expect(missing).toEqual([]);
});
