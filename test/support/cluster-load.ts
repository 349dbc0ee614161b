/**
 * Load on a cluster, and the record to check it against.
 *
 * Clients, a third automated, request known links on all nodes, one at a time per connection. When a node is killed they
 * use another, as behind a load balancer. Recorded are: requests and redirects per code, every answer that is no redirect,
 * every connection that broke although its node lives, and every redirect to a version older than one confirmed
 * ALLOWED_MS before the request was sent.
 */
import { connect, type Socket } from "node:net";
import { addOne, type ClickTally } from "./click-tally.ts";
import type { Node } from "./cluster.ts";

/** The two seconds promised without Redis, and one for a loaded machine. */
export const ALLOWED_MS = 3_000;
const REQUESTS_A_CONNECTION = 50;
const AUTOMATED = "curl/8.5.0";
const AGENTS = [
  "Mozilla/5.0 (X11; Linux x86_64; rv:132.0) Gecko/20100101 Firefox/132.0",
  "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1",
  AUTOMATED,
];
const SITES = 150;
const PAUSE_MS = 15;

export const targetOf = (code: string, version: number): string => `http://localhost/${code}/${version}`;

export type Truth = {
  confirm(code: string, version: number): void;
  /** The newest version confirmed at that time. */
  confirmedAt(code: string, time: number): number;
};

export function createTruth(): Truth {
  const history = new Map<string, { version: number; at: number }[]>();
  return {
    confirm(code, version) {
      const known = history.get(code) ?? [];
      history.set(code, known);
      known.push({ version, at: performance.now() });
    },
    confirmedAt: (code, time) => history.get(code)?.findLast(({ at }) => at <= time)?.version ?? 0,
  };
}

export type Load = ClickTally & {
  /** Of automated visitors alone. */
  automated: ClickTally;
  unexpected: string[];
  stale: string[];
  /** The current step, recorded with each failure. */
  at(chapter: string): void;
  /** From now on connections to the node may break. */
  expectBreaks(node: Node, may: boolean): void;
  /** The node cannot receive changes for now. */
  excuse(node: Node, isExcused: boolean): void;
  end(): Promise<void>;
};

export function startLoad(options: {
  nodes: readonly Node[];
  codes: readonly string[];
  clients: number;
  truth: Truth;
  /** Of a client, after each answer. */
  pauseMs?: number;
}): Load {
  const { nodes, codes, truth, pauseMs = PAUSE_MS } = options;
  const breaking = new Set<Node>();
  const excused = new Set<Node>();
  let ended = false;
  let chapter = "";
  const load: Load = {
    sent: new Map(),
    answered: new Map(),
    automated: { sent: new Map(), answered: new Map() },
    unexpected: [],
    stale: [],
    at: (name) => void (chapter = name),
    expectBreaks: (node, may) => void (may ? breaking.add(node) : breaking.delete(node)),
    excuse: (node, isExcused) => void (isExcused ? excused.add(node) : excused.delete(node)),
    async end() {
      ended = true;
      await Promise.all(clients);
    },
  };

  async function askOnce(node: Node, connection: Connection): Promise<void> {
    const code = codes[Math.floor(Math.random() * codes.length)]!;
    const wanted = truth.confirmedAt(code, performance.now() - ALLOWED_MS);
    const agent = AGENTS[Math.floor(Math.random() * AGENTS.length)]!;
    const tallies = agent === AUTOMATED ? [load, load.automated] : [load];
    for (const { sent } of tallies) addOne(sent, code);
    const head = await connection.ask(code, agent);
    const version = Number(/^location: .*\/(\d+)\r$/im.exec(head)?.[1] ?? Number.NaN);
    if (!head.startsWith("HTTP/1.1 307 ") || Number.isNaN(version))
      return void load.unexpected.push(`${chapter}, ${node.name}: ${code}: ${head.split("\r\n")[0]}`);
    for (const { answered } of tallies) addOne(answered, code);
    if (version < wanted && !excused.has(node))
      load.stale.push(`${chapter}, ${node.name}: ${code}: version ${version}, ${wanted} was confirmed`);
  }

  async function client(start: number): Promise<void> {
    for (let turn = start; !ended; turn++) {
      const node = nodes[turn % nodes.length]!;
      if (!node.isUp()) {
        await Bun.sleep(PAUSE_MS);
        continue;
      }
      const mightBreak = breaking.has(node);
      try {
        const connection = await open(node.url());
        for (let i = 0; i < REQUESTS_A_CONNECTION && !ended; i++) {
          await askOnce(node, connection);
          await Bun.sleep(pauseMs);
        }
        connection.close();
      } catch (error) {
        if (!mightBreak && !breaking.has(node))
          load.unexpected.push(`${chapter}, ${node.name}: ${String(error)}`);
        await Bun.sleep(20);
      }
    }
  }

  const clients = Array.from({ length: options.clients }, (_, at) => client(at));
  return load;
}

type Connection = {
  /** Returns the answer's head. Rejects when the connection breaks before the head is complete. */
  ask(code: string, agent: string): Promise<string>;
  close(): void;
};

async function open(url: string): Promise<Connection> {
  const { hostname, port } = new URL(url);
  const socket: Socket = connect({ host: hostname, port: Number(port) });
  socket.setEncoding("latin1");
  let text = "";
  let waiting: PromiseWithResolvers<string> | null = null;
  const connected = Promise.withResolvers<void>();
  const fail = (error: Error) => {
    connected.reject(error);
    waiting?.reject(error);
  };
  socket.on("connect", () => connected.resolve());
  socket.on("error", fail);
  socket.on("close", () => fail(new Error("the connection was closed")));
  socket.on("data", (chunk) => {
    text += String(chunk);
    if (text.includes("\r\n\r\n")) waiting?.resolve(text);
  });
  await connected.promise;
  return {
    ask(code, agent) {
      const site = Math.floor(Math.random() * SITES);
      text = "";
      waiting = Promise.withResolvers();
      if (socket.closed || socket.destroyed) waiting.reject(new Error("the connection was closed"));
      else
        socket.write(
          `GET /${code} HTTP/1.1\r\nHost: localhost\r\nReferer: https://site-${site}.example/\r\nUser-Agent: ${agent}\r\nAccept: text/html\r\nAccept-Language: en\r\n\r\n`,
        );
      return waiting.promise;
    },
    close: () => void socket.destroy(),
  };
}
