/** Test support: a TCP proxy that can be cut, or made to hang. */
import { connect, createServer, type Socket } from "node:net";

export type TcpProxy = {
  readonly port: number;
  /**
   * `refuse`: closes new connections at once; `hang`: accepts them and passes nothing on until `heal`, as a network that
   * sends lost packets again.
   */
  mode: "pass" | "refuse" | "hang";
  readonly refused: number;
  /** Pieces that clients have sent. */
  readonly sent: number;
  /** Severs when clients have sent so many more pieces. */
  severAfter(pieces: number): void;
  /** Breaks all connections. */
  cut(): void;
  /** Breaks all connections and refuses new ones until `heal`. */
  sever(): void;
  heal(): void;
  stop(): void;
  /** The URL with the proxy's address. */
  through(url: string): string;
};

/** Listens on `address`. */
export async function startTcpProxy(host: string, port: number, address = "127.0.0.1"): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  /** What the hanging holds back, in order. */
  let held: (() => void)[] = [];
  let refused = 0;
  let sent = 0;
  let severAt = Number.POSITIVE_INFINITY;
  const hold = (socket: Socket) => {
    sockets.add(socket);
    socket.setNoDelay(true);
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
  };
  function join(socket: Socket): void {
    if (socket.destroyed) return;
    const upstream = connect(port, host);
    hold(upstream);
    const pass = (to: Socket) => (data: Buffer) => {
      if (to === upstream && ++sent >= severAt) proxy.sever();
      if (proxy.mode === "pass") to.write(data);
      if (proxy.mode === "hang") held.push(() => void to.write(data));
    };
    socket.on("data", pass(upstream));
    upstream.on("data", pass(socket));
    socket.on("close", () => upstream.destroy());
    upstream.on("close", () => socket.destroy());
  }
  const server = createServer((socket) => {
    hold(socket);
    if (proxy.mode === "refuse") {
      refused++;
      return void socket.destroy();
    }
    if (proxy.mode === "hang") held.push(() => join(socket));
    else join(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, address, resolve));
  const own = (server.address() as { port: number }).port;
  const proxy: TcpProxy = {
    port: own,
    mode: "pass",
    get refused() {
      return refused;
    },
    get sent() {
      return sent;
    },
    severAfter: (pieces) => void (severAt = sent + pieces),
    cut() {
      for (const socket of sockets) socket.destroy();
    },
    sever() {
      proxy.mode = "refuse";
      severAt = Number.POSITIVE_INFINITY;
      proxy.cut();
    },
    heal() {
      proxy.mode = "pass";
      const waiting = held;
      held = [];
      for (const go of waiting) go();
    },
    stop() {
      proxy.cut();
      server.close();
    },
    through: (url) => url.replace(`${host}:${port}`, `${address}:${own}`),
  };
  return proxy;
}

/** A proxy to the server that the URL names with host and port. */
export function startProxyTo(url: string, address?: string): Promise<TcpProxy> {
  const [, host, port] = /^[\w+]+:\/\/(?:[^@/]*@)?([^:/]+):(\d+)/.exec(url) ?? [];
  if (host === undefined) throw new Error("The URL names no host and port.");
  return startTcpProxy(host, Number(port), address);
}
