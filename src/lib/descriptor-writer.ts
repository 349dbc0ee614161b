/** Writes to a connection by its descriptor, which it closes. Reads nothing. */
export type DescriptorWriter = {
  /** Resolves when the system has all bytes. @throws if the connection is closed */
  write(bytes: Uint8Array): Promise<void>;
  /** The peer sees the end after all bytes. */
  end(): void;
  close(): void;
};

/** `closed` is called once, also after `close`. */
export async function openDescriptorWriter(
  descriptor: number,
  closed: () => void,
): Promise<DescriptorWriter> {
  let isClosed = false;
  let wake = (): void => {};
  const options = {
    fd: descriptor,
    socket: {
      drain: () => wake(),
      error: () => undefined,
      close() {
        if (isClosed) return;
        isClosed = true;
        wake();
        closed();
      },
    },
  };
  // Bun's types lack the option `fd`.
  const socket = await Bun.connect(options as unknown as Bun.TCPSocketConnectOptions<undefined>);
  // The runtime's own descriptor reads.
  socket.pause();
  return {
    async write(bytes) {
      for (let at = 0; ; ) {
        const sent = isClosed ? -1 : socket.write(bytes, at, bytes.length - at);
        if (sent < 0) throw new Error("the connection was closed");
        at += sent;
        if (at === bytes.length) return;
        await new Promise<void>((resolve) => (wake = resolve));
      }
    },
    end: () => void socket.shutdown(),
    close: () => void socket.end(),
  };
}
