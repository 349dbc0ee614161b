/** A move from a real Sink. Without one it says why it is skipped. */
import { test } from "bun:test";
import { MOVE_LIMIT_MS, movingFrom } from "../support/moving.ts";
import { missingSink, startSink } from "../support/sink.ts";

const MISSING = missingSink();
const LINKS = 20_000;
const TARGETS = [
  "https://example.com/?a=%20&b=ä&amp;y[]=1",
  "https://münchen.example/straße?q=ä#ö",
  "HTTPS://Example.COM/Case",
  "https://example.com/?s=it's",
  // Sink keeps at most 1,024 bytes of target and comment.
  `https://example.com/${"x".repeat(800)}`,
];
const REFUSED = ["mailto:a@example.com", "ftp://example.com/x", "https://user:password@example.com/"];

if (MISSING !== null) {
  console.log(`skipped: the move from Sink, ${MISSING}`);
  test.skip("the move from Sink", () => undefined);
} else {
  const { story } = movingFrom(startSink, async (sink) => {
    for (const [at, url] of REFUSED.entries()) await sink.add({ url, slug: `refused-${at}` });
    const texts = { comment: `It's "one"\nof 日本語 🎉`, title: "<b>Title</b>", description: "Not imported" };
    for (const [at, url] of TARGETS.entries())
      await sink.add({ url, slug: `made-${at}`, ...texts, expiration: 1_999_000_000 + at });
    const left = LINKS - REFUSED.length - TARGETS.length;
    const createdAt = 1_709_208_000;
    // Half of them differ by case only.
    await sink.copy(
      Array.from({ length: left }, (_, n) => ({
        id: String(n),
        url: TARGETS[n % TARGETS.length]!,
        slug: `${n % 2 ? "code" : "Code"}-${n >> 1}`,
        createdAt,
        updatedAt: createdAt,
      })),
    );
  });

  test(
    "all is imported over a kill, leads where it led, and its undo leaves nothing",
    () =>
      story("import_links", {
        counts: {
          links_read: LINKS,
          links_imported: LINKS - REFUSED.length,
          links_refused: REFUSED.length,
          links_partial: TARGETS.length,
          clicks_imported: 0,
        },
        clicks: [],
        asks: LINKS - REFUSED.length,
        differ: [],
      }),
    MOVE_LIMIT_MS,
  );
}
