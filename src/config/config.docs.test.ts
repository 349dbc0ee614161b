import { expect, test } from "bun:test";
import { ENV_SETTINGS } from "../env.settings.ts";
import { CONFIGURATION_DOC, renderConfigurationDoc } from "./config.docs.ts";
import { CONFIG_KEYS } from "./definitions.ts";

test("docs/configuration.md is what the tables say; bin/bun src/config/config.docs.ts writes it anew", async () => {
  expect(await Bun.file(CONFIGURATION_DOC).text()).toBe(renderConfigurationDoc());
});

test("the page has a row for every setting and no broken table", () => {
  const page = renderConfigurationDoc();
  for (const key of [...CONFIG_KEYS, ...ENV_SETTINGS.map((setting) => setting.key)]) {
    expect(page.split(`\n| \`${key}\` | `)).toHaveLength(2);
  }
  for (const line of page.split("\n").filter((text) => text.startsWith("|"))) {
    expect(line.replaceAll("\\|", "").split("|")).toHaveLength(6);
  }
});
