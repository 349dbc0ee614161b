/** What the tests of a process printed and reported. */
const REASON_LINES = 30;

/** Passed, failed and skipped tests as `file: name`, what was printed before each failure, and seconds at work. */
export type Outcome = {
  passed: string[];
  failed: string[];
  skipped: string[];
  reasons: string[];
  seconds: number;
};

export const emptyOutcome = (): Outcome => ({
  passed: [],
  failed: [],
  skipped: [],
  reasons: [],
  seconds: 0,
});

const ENTITIES: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };
const unescape = (text: string): string =>
  text.replace(/&(amp|lt|gt|quot|apos);/g, (_, name: string) => ENTITIES[name]!);

/**
 * Reads Bun's JUnit report, by files. Quotes and angle brackets are escaped in it, so patterns find the tags. The last
 * of `files` has the tests that name none.
 */
export function readReport(xml: string, files: readonly string[]): Map<string, Outcome> {
  const outcomes = new Map(files.map((file) => [file, emptyOutcome()]));
  const attribute = (name: string, text: string): string | undefined =>
    new RegExp(`\\b${name}="([^"]*)"`).exec(text)?.[1];
  for (const [, tag] of xml.matchAll(/^ {2}<testsuite ([^>]*)>/gm)) {
    const outcome = outcomes.get(unescape(attribute("file", tag!) ?? ""));
    if (outcome !== undefined) outcome.seconds = Number(attribute("time", tag!) ?? 0);
  }
  for (const [, tag, end, body] of xml.matchAll(/<testcase ([^>]*?)(?:(\/>)|>([^]*?)<\/testcase>)/g)) {
    const given = unescape(attribute("file", tag!) ?? "");
    const file = outcomes.has(given) ? given : files.at(-1)!;
    const outcome = outcomes.get(file)!;
    const name = `${file}: ${unescape(attribute("name", tag!) ?? "(unnamed)")}`;
    if (end !== undefined || body === undefined) outcome.passed.push(name);
    else if (/<(failure|error)[ />]/.test(body)) outcome.failed.push(name);
    else if (/<skipped[ />]/.test(body)) outcome.skipped.push(name);
    else outcome.passed.push(name);
  }
  return outcomes;
}

/** The lines before each failed test, without those of passed ones: a long run's end shows why it failed. */
export function reasonsIn(printed: string): string[] {
  const lines = printed.split("\n").filter((line) => !line.startsWith("(pass)"));
  return lines.flatMap((line, at) =>
    line.startsWith("(fail)") ? [lines.slice(Math.max(0, at - REASON_LINES), at + 1).join("\n")] : [],
  );
}
