import { expect, test } from "bun:test";
import { START_SETTINGS } from "../../server/settings.ts";
import { CONFIGURATION_PAGE, renderConfigurationPage } from "../../../scripts/configuration-page.ts";
import { CONFIG_KEYS } from "./definitions.ts";

test("docs/configuration.md is current (write it with bin/bun scripts/configuration-page.ts)", async () => {
  expect(await Bun.file(CONFIGURATION_PAGE).text()).toBe(renderConfigurationPage());
});

test("the page has a row for every setting and no broken table", () => {
  const page = renderConfigurationPage();
  const keys: string[] = [...CONFIG_KEYS, ...START_SETTINGS.map((setting) => setting.key)];
  for (const key of keys) {
    const rows = keys.filter((other) => other === key).length;
    expect(page.split(`\n| \`${key}\` | `)).toHaveLength(rows + 1);
  }
  for (const line of page.split("\n").filter((text) => text.startsWith("|"))) {
    expect(line.replaceAll("\\|", "").split("|")).toHaveLength(6);
  }
});
