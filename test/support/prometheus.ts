/** Reads a metrics exposition with the official Prometheus client's parser (Debian: python3-prometheus-client). */

export type Family = {
  /** Without the `_total` of a counter. */
  name: string;
  type: string;
  help: string;
  samples: { name: string; labels: Record<string, string>; value: number }[];
};

const PYTHON = "/usr/bin/python3";
const SCRIPT = `
import json, sys
from prometheus_client.parser import text_string_to_metric_families
print(json.dumps([
  {"name": f.name, "type": f.type, "help": f.documentation,
   "samples": [{"name": s.name, "labels": s.labels, "value": s.value} for s in f.samples]}
  for f in text_string_to_metric_families(sys.stdin.read())]))
`;

/** Why the parser cannot run here; null when it can. */
export function missingParser(): string | null {
  const probe =
    Bun.which(PYTHON) !== null && Bun.spawnSync([PYTHON, "-c", "import prometheus_client"]).exitCode === 0;
  return probe ? null : "python3-prometheus-client is not installed";
}

/** @throws when the parser refuses the text */
export function parseExposition(text: string): Family[] {
  const run = Bun.spawnSync([PYTHON, "-c", SCRIPT], {
    stdin: Buffer.from(text),
    stdout: "pipe",
    stderr: "pipe",
  });
  if (run.exitCode !== 0) throw new Error(run.stderr.toString());
  return JSON.parse(run.stdout.toString()) as Family[];
}
