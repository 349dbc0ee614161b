/** What the tests of a file printed and reported. */
const REASON_LINES = 30;

/** Passed, failed and skipped tests as `file: name`, and what was printed before each failure. */
export type Outcome = { passed: string[]; failed: string[]; skipped: string[]; reasons: string[] };

const ENTITIES: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };
const unescape = (text: string): string =>
  text.replace(/&(amp|lt|gt|quot|apos);/g, (_, name: string) => ENTITIES[name]!);

/** Reads Bun's JUnit report. Quotes and angle brackets are escaped in it, so patterns find the tags. */
export function readReport(xml: string, file: string): Outcome {
  const outcome: Outcome = { passed: [], failed: [], skipped: [], reasons: [] };
  for (const [, attributes, end, body] of xml.matchAll(/<testcase ([^>]*?)(?:(\/>)|>([^]*?)<\/testcase>)/g)) {
    const name = `${file}: ${unescape(/\bname="([^"]*)"/.exec(attributes!)?.[1] ?? "(unnamed)")}`;
    if (end !== undefined || body === undefined) outcome.passed.push(name);
    else if (/<(failure|error)[ />]/.test(body)) outcome.failed.push(name);
    else if (/<skipped[ />]/.test(body)) outcome.skipped.push(name);
    else outcome.passed.push(name);
  }
  return outcome;
}

/** The lines before each failed test, without those of passed ones: a long run's end shows why it failed. */
export function reasonsIn(printed: string): string[] {
  const lines = printed.split("\n").filter((line) => !line.startsWith("(pass)"));
  return lines.flatMap((line, at) =>
    line.startsWith("(fail)") ? [lines.slice(Math.max(0, at - REASON_LINES), at + 1).join("\n")] : [],
  );
}
