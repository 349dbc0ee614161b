/**
 * Pages of shares a second on one core, beside a code that does not exist on the same server: the page of a file, of a
 * small folder and of 500 of 2,000 entries. Rounds alternate, and medians count.
 *
 *     bin/bun bench/share-pages.ts [rounds]
 */
import { startDriveServer, median, run } from "./lib/drive-server.ts";
import { fillFolder } from "./lib/fill-folder.ts";
import { processSeconds } from "./lib/machine.ts";

const ROUNDS = Number(process.argv[2] ?? 3);
const GOAL = 3_000;
const BROWSER = [
  "Accept: text/html",
  "Accept-Language: de-DE,de;q=0.9,en;q=0.8",
  "User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
].flatMap((header) => ["-H", header]);

const server = await startDriveServer();
try {
  const { client, url, pid } = server;
  await run(["taskset", "-a", "-cp", "0", String(pid)]);
  const share = async (path: string, input = {}): Promise<string> =>
    (await client.call("POST", `${path}/share`, input)).body.data.url;
  const file = (await client.upload("a report.pdf", "some bytes", { type: "application/pdf" })).body.data.id;
  const few = await client.folder("few");
  for (const name of ["one.txt", "two.jpg", "three.mp4"])
    await client.upload(name, name, { folder: String(few) });
  const many = await client.folder("many");
  await fillFolder(server, many, 2_000);
  const subjects: [name: string, address: string][] = [
    ["a code that does not exist", `${url}/none`],
    ["the page of a file", await share(`/files/${file}`, { expires_at: "7d" })],
    ["the page of a folder with 3 files", await share(`/folders/${few}`)],
    ["500 of 2,000 entries", await share(`/folders/${many}`)],
  ];
  const found = new Map(subjects.map(([name]) => [name, { rates: [] as number[], cpu: [] as number[] }]));
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [name, address] of subjects) {
      const before = processSeconds(pid);
      const seconds = round === 0 ? "2s" : "5s";
      const text = await run([
        "taskset",
        "-c",
        "1",
        "wrk",
        "-t1",
        "-c16",
        `-d${seconds}`,
        ...BROWSER,
        address,
      ]);
      const requests = Number(/(\d+) requests in/.exec(text)![1]);
      const cpuMs = ((processSeconds(pid) - before) / requests) * 1_000;
      // The first round is warm-up.
      if (round === 0) continue;
      found.get(name)!.rates.push(Number(/Requests\/sec:\s+([\d.]+)/.exec(text)![1]));
      found.get(name)!.cpu.push(cpuMs);
    }
  }
  const plain = median(found.get(subjects[0]![0])!.rates);
  console.log("                                      a second   of a 404   processor ms");
  for (const [name, { rates, cpu }] of found) {
    const rate = median(rates);
    const shown = [rate.toFixed(0), (rate / plain).toFixed(3), median(cpu).toFixed(3)];
    console.log(name.padEnd(36) + shown.map((value) => value.padStart(11)).join(""));
  }
  const rate = median(found.get("the page of a file")!.rates);
  console.log(`the page of a file: ${rate.toFixed(0)} a second (goal: ≥ ${GOAL})`);
} finally {
  await server.stop();
}
process.exit(0);
