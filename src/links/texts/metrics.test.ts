import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createRegistry } from "../../lib/metrics.ts";
import { END, SEPARATOR } from "./blocks.ts";
import { registerLinkTexts } from "./metrics.ts";
import { openScanThread } from "./scan.thread.ts";
import { createLinkTexts } from "./texts.ts";

const LINKS = 3_000;

test("the texts of links are counted from the first that is read until they are closed", async () => {
  const folder = mkdtempSync(join(tmpdir(), "waymark-texts-"));
  const read = (from: number, to: number) =>
    Array.from({ length: to - from + 1 }, (_, at) =>
      [from + at, "code", "https://example.com/", "", ""].map((text) => text + SEPARATOR).join(""),
    );
  const texts = createLinkTexts({
    repository: {
      foldsOnlyAscii: true,
      between: async (from, to) => ({ texts: read(from, to).join(END), links: to - from + 1 }),
      of: async () => ({ texts: "", links: 0 }),
    },
    thread: openScanThread(join(folder, "texts")),
  });
  const registry = createRegistry();
  registerLinkTexts(registry, texts.sizes);
  const bytes = async () => {
    const [metric] = await registry.snapshot();
    expect([metric!.name, metric!.type, metric!.together]).toEqual(["svc_link_texts_bytes", "gauge", "sum"]);
    return Object.fromEntries(metric!.series.map(({ values, numbers }) => [values[0], numbers[0]!]));
  };
  try {
    expect(await bytes()).toEqual({ file: 0, memory: 0 });
    await texts.read(1, LINKS);
    const { file, memory } = await bytes();
    expect(file).toBeGreaterThan(LINKS * "code https://example.com/".length);
    expect(memory).toBeGreaterThan(0);
  } finally {
    texts.close();
    rmSync(folder, { recursive: true });
  }
  expect(await bytes()).toEqual({ file: 0, memory: 0 });
});
