import { expect, test } from "bun:test";
import { CLI_PAGE, renderCliPage } from "../../scripts/cli-page.ts";

test("docs/cli.md has every command (write it with bin/bun scripts/cli-page.ts)", async () => {
  const page = await Bun.file(CLI_PAGE).text();
  expect(page).toBe(await renderCliPage(page));
});
