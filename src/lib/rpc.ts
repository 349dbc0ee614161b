/**
 * Calls over a two-way message channel that delivers in order: each side has handlers and may call the other's.
 * A call ends with its answer, with the failure's text, or after a time limit; when the channel closes, all that
 * are under way fail.
 */
import { messageOf } from "./errors.ts";
export type RpcMessage =
  | { type: "call"; id: number; method: string; payload: unknown }
  | { type: "answer"; id: number; payload: unknown }
  | { type: "failure"; id: number; message: string };

export type RpcHandlers = Record<string, (payload: never) => unknown>;

export type Rpc = {
  /** Rejects when the other side fails, has no such handler, or does not answer in time. */
  call<T>(method: string, payload: unknown): Promise<T>;
  /** To be given every message that arrives; what is none of these is ignored. */
  receive(message: unknown): void;
  close(): void;
};

type Waiting = {
  resolve(value: never): void;
  reject(error: Error): void;
  timer: ReturnType<typeof setTimeout>;
};

export function createRpc(deps: {
  send(message: RpcMessage): void;
  handlers: RpcHandlers;
  timeoutMs: number;
}): Rpc {
  const { handlers, timeoutMs } = deps;
  const waiting = new Map<number, Waiting>();
  let nextId = 1;
  let closed = false;

  function send(message: RpcMessage): void {
    if (closed) return;
    try {
      deps.send(message);
    } catch {
      // The channel is gone; its owner hears of that and closes this.
    }
  }

  function settle(id: number): Waiting | undefined {
    const call = waiting.get(id);
    waiting.delete(id);
    clearTimeout(call?.timer);
    return call;
  }

  async function serve(id: number, method: string, payload: unknown): Promise<void> {
    try {
      const handler = Object.hasOwn(handlers, method) ? handlers[method] : undefined;
      if (handler === undefined) throw new Error(`there is no ${method} to call`);
      send({ type: "answer", id, payload: await handler(payload as never) });
    } catch (error) {
      send({ type: "failure", id, message: messageOf(error) });
    }
  }

  return {
    call(method, payload) {
      const { promise, resolve, reject } = Promise.withResolvers<never>();
      if (closed) {
        reject(new Error("the channel is closed"));
        return promise;
      }
      const id = nextId++;
      const timer = setTimeout(
        () => settle(id)?.reject(new Error(`${method} was not answered in ${timeoutMs} ms`)),
        timeoutMs,
      );
      waiting.set(id, { resolve, reject, timer });
      send({ type: "call", id, method, payload });
      return promise;
    },
    receive(message) {
      if (!isRpcMessage(message)) return;
      if (message.type === "call") void serve(message.id, message.method, message.payload);
      else if (message.type === "answer") settle(message.id)?.resolve(message.payload as never);
      else settle(message.id)?.reject(new Error(message.message));
    },
    close() {
      closed = true;
      for (const id of waiting.keys()) settle(id)?.reject(new Error("the channel is closed"));
    },
  };
}

function isRpcMessage(message: unknown): message is RpcMessage {
  if (typeof message !== "object" || message === null || !("type" in message) || !("id" in message))
    return false;
  return typeof message.id === "number" && ["call", "answer", "failure"].includes(String(message.type));
}
